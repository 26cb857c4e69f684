import type { ModelEndpoint } from './endpoint.ts';
import { action, blend, describe, imageTask, imagine, uploadImages } from './endpoints/image-tasks.ts';
import { concat, createPersona, feed, musicTask, uploadAudio } from './endpoints/music.ts';
import { editImage, generateImage } from './endpoints/images.ts';
import { embeddings } from './endpoints/embeddings.ts';
import { messages } from './endpoints/messages.ts';

/** Every model endpoint (docs/gateway.md G9.1). */
export const modelEndpoints: readonly ModelEndpoint[] = [
  messages,
  embeddings,
  generateImage,
  editImage,
  imagine,
  blend,
  describe,
  action,
  uploadImages,
  imageTask,
  createPersona,
  uploadAudio,
  concat,
  musicTask,
  feed,
];
