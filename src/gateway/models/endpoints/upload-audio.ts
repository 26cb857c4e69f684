import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { musicSubmission } from './submission.ts';

/** docs/gateway.md G10.8 */
export const uploadAudio = defineModelEndpoint({
  name: 'upload-audio',
  method: 'POST',
  path: '/music/uploads/audio-url',
  statement: 'G10.8',
  summary: 'Upload an mp3 file by its link.',
  example: '{ "url": "https://example.com/song.mp3" }',
  input: z.looseObject({ url: z.string().min(1).describe('address of an mp3 file') }),
  ...musicSubmission,
});
