export type { ApiKey } from './admin/api-key.ts';
export { createGateway } from './gateway.ts';
export type { Gateway } from './gateway.ts';
export type { KeyPatch, KeySpec } from './admin/key-spec.ts';
export { createModelCaller } from './models/model-calls.ts';
export type { ModelAnswer, ModelCaller, ModelQuestion } from './models/model-calls.ts';
