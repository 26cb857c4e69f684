import type { ModelEndpoint } from './endpoint.ts';
import { action } from './endpoints/action.ts';
import { blend } from './endpoints/blend.ts';
import { concat } from './endpoints/concat.ts';
import { createPersona } from './endpoints/create-persona.ts';
import { describe } from './endpoints/describe.ts';
import { editImage } from './endpoints/edit-image.ts';
import { embeddings } from './endpoints/embeddings.ts';
import { feed } from './endpoints/feed.ts';
import { generateImage } from './endpoints/generate-image.ts';
import { imageTask } from './endpoints/image-task.ts';
import { imagine } from './endpoints/imagine.ts';
import { messages } from './endpoints/messages.ts';
import { musicTask } from './endpoints/music-task.ts';
import { uploadAudio } from './endpoints/upload-audio.ts';
import { uploadImages } from './endpoints/upload-images.ts';

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
