export { listenForHealth } from './health.ts';
