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
export { createKeyDesk } from './desk.ts';
export type { DeskMeans } from './desk.ts';
export { createKeyGateway } from './engine/key-gateway.ts';
export type { Consumer, Plaintexts } from './engine/engine-means.ts';
export { createProbeKeys } from './engine/probe-keys.ts';
export { openJournal } from './journal/journal.ts';
export type { KeyJournal } from './journal/journal.ts';
export { updateKnowledge } from './update/knowledge.ts';
export { probeKeyUpdates } from './update/probe.ts';
export { verifyKey } from './verify.ts';
