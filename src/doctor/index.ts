export { runDoctor } from './doctor.ts';
export type { DeclaredSink, DoctorAccounts, Ping } from './deps.ts';
