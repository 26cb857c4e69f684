export { runDoctor } from './doctor.ts';
export { namesByAccount, unmatchedIn, type NamesByAccount } from './selectors.ts';
export type { DeclaredSink, DoctorAccounts, Ping } from './deps.ts';
export type { DoctorCheck, DoctorRequest, DoctorView } from './doctor-view.ts';
