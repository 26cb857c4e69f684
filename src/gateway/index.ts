export type { LogExportQuery } from './exports.ts';
export { createGateway } from './gateway.ts';
export type { Gateway } from './gateway.ts';
