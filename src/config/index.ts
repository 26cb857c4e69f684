export { formatConfigFault } from './config-fault.ts';
export type { ConfigFault } from './config-fault.ts';
export { describeChanges } from './changes.ts';
export { configDisk } from './disk.ts';
export {
  accountName,
  address,
  addresses,
  amount,
  cron,
  date,
  duration,
  httpsUrl,
  jobName,
  openUrl,
  positiveDuration,
  reportName,
  secret,
  size,
  teamName,
  zone,
} from './fields.ts';
export { fieldsOf, jobMail, jobPost } from './job-schema.ts';
export type { Job, JobKind, KindFault, NoticeKind, Retries, RuledJob } from './job-schema.ts';
export { fieldNotes } from './notes.ts';
export { jsonSchemas, renderSchema } from './json-schema.ts';
export { loadConfig } from './load.ts';
export type { Config, Loaded, LoadOptions } from './load.ts';
export { fingerprintConfig } from './read-files.ts';
export type { Schedule } from './rules.ts';
export { profileOf } from './profile.ts';
export type { Account } from './settings-schema.ts';
