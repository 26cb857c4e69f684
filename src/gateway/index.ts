export type { ApiKey } from './admin/api-key.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type { KeyPatch, KeySpec } from './admin/key-spec.ts';
export {
  createModelCaller,
  type ModelAnswer,
  type ModelCaller,
  type ModelQuestion,
} from './models/verify-call.ts';
export { callModel, createModelDeps, type ModelDeps } from './models/call-model.ts';
export { modelEndpoints } from './models/model-endpoints.ts';
export type { ModelEndpoint, TaskId } from './models/endpoint.ts';
export type { Blobs, BlobStore, SavedBlob } from './models/blobs.ts';
export { isStreamFault, streamMessage } from './models/stream-message.ts';
export { waitForTask, type TaskRecord } from './models/wait-task.ts';
export { fetchLink, mayFollow, type LinkDeps } from './models/fetch-link.ts';
export { fetchClips } from './models/fetch-clips.ts';
export { inputFields, type InputField } from './models/input-fields.ts';
export { stopReasons } from './models/endpoints/messages.ts';
export { embeddingNumbers } from './models/endpoints/embeddings.ts';
