export type { LogExportQuery } from './exports.ts';
export { createGateway } from './gateway.ts';
export type { Gateway } from './gateway.ts';
export type { ApiKey } from './api-key.ts';
