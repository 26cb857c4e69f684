import { lazy } from './lazy.ts';

export { lazy };

export type { Cipher, Decipher } from './files/cipher.ts';
export * from './clock.ts';
export {
  afterReading,
  afterStamps,
  clockOffset,
  readClock,
  stampClock,
  type ClockReading,
  type GatewayClock,
  type MeasuredClock,
  type OffsetRange,
  type OwnStamps,
} from './gateway/clock.ts';
export * from './duration.ts';
export * from './time/ranges.ts';
export { encodingFault } from './encoding.ts';
export * from './fault.ts';
export type { FaultCode } from './fault-catalogue.ts';
export * from './first-signal.ts';
export * from './collections/grouping.ts';
export * from './collections/numbers.ts';
export { createGate, createNamedGates, together, type Gate, type NamedGates } from './gate.ts';
export * from './gateway/call-log-columns.ts';
export * from './gateway/profile.ts';
export {
  countedForms,
  isCounted,
  secondsOfTime,
  timeFormOf,
  timeForms,
  timePattern,
  type TimeFormName,
} from './gateway/time-forms.ts';
export * from './choices.ts';
export * from './logging/log.ts';
export * from './deps.ts';
export * from './measure.ts';
export * from './system/divide-memory.ts';
export * from './system/memory-limit.ts';
export * from './system/notify-systemd.ts';
export * from './money.ts';
export { csvCell } from './text/csv-cell.ts';
export { issueText } from './text/issue-text.ts';
export { listText } from './text/list-text.ts';
export { iso, isoOr, jsonText } from './text/json-text.ts';
export { deriveKey, isSameSecret, macOf, readSigned, signText } from './text/signed-text.ts';
export { withFingerprints, withoutShapes } from './text/key-shape.ts';
export { parseMailbox, type Mailbox } from './text/mailbox.ts';
export { printable } from './text/printable.ts';
export { isolateNames, withoutIsolates } from './text/right-to-left.ts';
export { addressesIn, isAddressRange, isPrivateAddress } from './net/address-ranges.ts';
export { databaseUrlOf } from './net/database-url.ts';
export * from './net/limited-server.ts';
export { isLoopback } from './net/loopback.ts';
export * from './nearest.ts';
export * from './program-file.ts';
export * from './logging/progress.ts';
export * from './retry.ts';
export * from './secrets.ts';
export * from './shell-word.ts';
export * from './units.ts';
export type { Position, YamlFault, YamlFile, YamlPath } from './yaml.ts';
export * from './zone.ts';
export * from './zone-advice.ts';
export { syncPath, writeThrough } from './files/durable-files.ts';
export { openToAll, setPermissions } from './files/permissions.ts';
export { isThere, openRegular, readReason, readText, readTextWithin } from './files/read-regular.ts';
export { lateText, type LateData } from './late-data.ts';
export { trimEndOf, trimOf } from './trim.ts';
export {
  countText,
  durationText,
  hoursText,
  exactSpanOf,
  rangeText,
  sizeText,
  spanOf,
  type TimeSpan,
} from './range-text.ts';

/** JSON lines, each redacted as a whole just before it is written. */
export const createLog = lazy(async () => (await import('./logging/json-log.ts')).createLog);
/** Parses one YAML 1.2 document and keeps all positions. Never rejects: faults are data. */
export const parseYaml = lazy(async () => (await import('./yaml.ts')).parseYaml);
