export { createSink } from './sinks/create-sink.ts';
export { placesClash } from './sinks/places.ts';
export { runThen } from './sinks/then-command.ts';
export type { SinkMeans } from './sinks/sink-means.ts';
export type { CommandOrder, SinkSpec } from './sinks/sink-spec.ts';
export type {
  KeyDesk,
  KeyNews,
  KeySurvey,
  PlannedExpiry,
  PlannedRotation,
  RotationView,
  SurveyedKey,
} from './desk-types.ts';
export { verifyAudit } from './journal/verify-audit.ts';
export type { AuditVerdict } from './journal/verify-audit.ts';
export type { KeyEvent, KeyEventKind, KeyEventOf, KeyFields, KeyUse } from './key-event.ts';
export { isStale, parsePlanFile, printPlanFile, withQuotaNow } from './plan/plan-file.ts';
export { fitsPattern } from './plan/select.ts';
export type { KeyEvidence, LogCompleteness } from './ports.ts';
export type { RotationTerms } from './terms.ts';
