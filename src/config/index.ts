export type { DeclaredSelector } from './rules/selectors.ts';
export { formatConfigFault, type ConfigFault } from './load/config-fault.ts';
export { describeChanges } from './load/changes.ts';
export { differingParts, digestsOf, type ConfigDigests } from './load/digests.ts';
export { readDatabaseArgument } from './load/database-argument.ts';
export { configDisk } from './load/disk.ts';
export {
  accountName,
  address,
  addresses,
  amount,
  budgetName,
  cron,
  date,
  duration,
  httpsUrl,
  jobName,
  openUrl,
  positiveDuration,
  rate,
  reportName,
  secret,
  signingSecret,
  secretUrl,
  size,
  teamName,
  zone,
} from './schema/fields.ts';
export {
  fieldsOf,
  jobFolder,
  jobMail,
  jobPost,
  type Job,
  type JobKind,
  type KindFault,
  type NoticeKind,
  type Retries,
  type RuledJob,
} from './schema/job-schema.ts';
export { exactlyOneOf, fieldNotes } from './schema/notes.ts';
export { jsonSchemas, renderSchema } from './schema/json-schema.ts';
export { loadConfig, type Config, type Loaded, type LoadOptions } from './load/load.ts';
export { readWarehousePath } from './load/warehouse-path.ts';
export { fingerprintConfig } from './load/read-files.ts';
export type { Schedule } from './rules/rules.ts';
export {
  threshold,
  thresholdAmount,
  type WrittenBudget,
  type WrittenThreshold,
} from './schema/budgets-schema.ts';
export { profileOf } from './schema/profile.ts';
export { mayListen } from './rules/status-warnings.ts';
export type { Account } from './schema/settings-schema.ts';
