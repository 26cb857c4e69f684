export type { ApiKey } from './api-key.ts';
export type { LogExportQuery } from './exports.ts';
export { createGateway } from './gateway.ts';
export type { Gateway } from './gateway.ts';
export type { KeyPatch, KeySpec } from './key-spec.ts';
export { createModelCaller } from './model-calls.ts';
export type { ModelAnswer, ModelCaller, ModelQuestion } from './model-calls.ts';
