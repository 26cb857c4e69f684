export { createSink } from './sinks/create-sink.ts';
export { placesClash } from './sinks/places.ts';
export { createCipher, createDecipher } from './sinks/age/age-cipher.ts';
export { runThen } from './sinks/command/then-command.ts';
export type { SinkDeps } from './sinks/sink-deps.ts';
export { earlyProblems, sinkSettings, type SinkSpec } from './sinks/registry.ts';
export { thenSettings } from './sinks/command/settings.ts';
export type {
  Advanced,
  DeadKey,
  EndedKey,
  KeyOutcome,
  KeySurvey,
  OutdatedService,
  PlannedExpiry,
  PlannedRotation,
  RotationView,
  SurveyedKey,
} from './model/service-types.ts';
export type { ExpiryNotice, KeyAlert, KeyMatter, OldKeyEnd } from './model/alert.ts';
export {
  clockText,
  deadKeyText,
  oldUnusedText,
  oldUseText,
  holdText,
  noSinkText,
  outdatedText,
  retainText,
  tooManyText,
  unconfirmedText,
  undeductedText,
} from './events/notices.ts';
export { writeAuditFile } from './journal/audit-chain.ts';
export { readAuditLines } from './journal/audit-file.ts';
export { verifyAudit, type AuditVerdict } from './journal/verify-audit.ts';
export type { AuditHead } from './journal/audit-line.ts';
export type { AuditComparison } from './journal/compare-audit.ts';
export { describeEvent, type KeyEvent } from './events/key-event.ts';
export type {
  ClockProblem,
  HoldFacts,
  KeyFields,
  KeyUse,
  RetainFacts,
  RetainReason,
} from './model/event-fields.ts';
export { isStale, parsePlanFile, printPlanFile, withQuotaNow } from './plan/plan-file.ts';
export { fitsPattern, isSelected, teamOf } from './plan/select.ts';
export { maxLag } from './model/lag.ts';
export type { LogCompleteness } from './model/ports.ts';
export type { RotationTerms } from './model/terms.ts';
export { cachesHold } from './cycle/seek-key.ts';
export { deadKeyIn } from './dead-keys.ts';
export { withUsableSinks } from './plan/usable-sinks.ts';
export { outcomeOf } from './outcome.ts';
export { createKeyService, type KeyService } from './key-service.ts';
export { createKeyGateway } from './rotation/key-gateway.ts';
export type { Consumer, Plaintexts } from './cycle/engine-deps.ts';
export { describeStop } from './cycle/up-to-date.ts';
export { bareName, distinctNames, sumOfUses } from './retirement/named-uses.ts';
export { createProbeKeys } from './rotation/probe-keys.ts';
export { openReopenableJournal, type ReopenableJournal } from './journal/reopenable-journal.ts';
export type { KeyJournal } from './journal/journal.ts';
export { updateKnowledge } from './update/knowledge.ts';
export { probeKeyUpdates } from './update/probe.ts';
export { verifyForms } from './verify-forms.ts';
export { minutesOf, weekdays } from './plan/windows.ts';
export { readMaxPerRun, type Limits } from './plan/limits.ts';
export {
  defaultTemplate,
  isKeyName,
  isServiceName,
  placeByName,
  printKeyName,
  readTemplate,
  templateOf,
} from './plan/key-names.ts';
export { currentUnknown, currentUnknownAdvice } from './plan/current-candidates.ts';
export { knownKey } from './plan/known-key.ts';
export { deadBy } from './plan/key-state.ts';
export { isLive, newestOf } from './plan/newest-key.ts';
export {
  plannedRotation,
  planRotations,
  serviceProblem,
  type RotationPlan,
  type RotationPolicy,
} from './plan/plan-rotations.ts';
export { clockEffect } from './plan/clock-skew.ts';
export { clockPassed } from './plan/expiry-step.ts';
export { byGatewayClock } from './plan/expiry-clock.ts';
export { keysAsked, planExpiry, type ExpiryPlan } from './plan/plan-expiry.ts';
export {
  expiryClocks,
  pastSteps,
  rangeAsked,
  timesAsked,
  type ExpiryEvidence,
  type ExpiryPolicy,
} from './plan/expiry-policy.ts';
export { planNotices } from './plan/notices.ts';
export { needsAttention, type SkippedKey, type SkipReason } from './plan/skipped-key.ts';
export type { Sink } from './model/sink.ts';
