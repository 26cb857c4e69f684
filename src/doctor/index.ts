export { runDoctor } from './doctor.ts';
export type { DeclaredSink, DoctorAccounts, Ping } from './deps.ts';
export type { DoctorCheck, DoctorRequest, DoctorView } from './doctor-view.ts';
