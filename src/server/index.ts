export { listenForHealth } from './health.ts';
export type { Health, HealthListener } from './health.ts';
