export { formatConfigFault } from './config-fault.ts';
export type { ConfigFault } from './config-fault.ts';
export { configDisk } from './disk.ts';
export {
  accountName,
  address,
  addresses,
  amount,
  cron,
  date,
  duration,
  jobName,
  name,
  path,
  positiveDuration,
  reportName,
  secret,
  size,
  teamName,
  zone,
} from './fields.ts';
export { fieldsOf, jobMail } from './job-schema.ts';
export type { Job, JobKind } from './job-schema.ts';
export { jsonSchemas, renderSchema } from './json-schema.ts';
export type { ConfigSchemas } from './json-schema.ts';
export { loadConfig } from './load.ts';
export type { Config, Loaded, LoadOptions } from './load.ts';
export { fieldNotes } from './notes.ts';
export type { FieldNotes } from './notes.ts';
export { profileOf } from './profile.ts';
export type { ConfigFiles } from './read-sources.ts';
export type { CheckSchedule } from './rules.ts';
export type { Account, MailSettings, Settings, Team } from './settings-schema.ts';
export { nearest } from './suggest.ts';
