import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { musicSubmission } from './submission.ts';

/** docs/gateway.md G10.9 */
export const concat = defineModelEndpoint({
  name: 'concat',
  method: 'POST',
  path: '/music/submit/concat',
  statement: 'G10.9',
  summary: 'Splice a song that was extended.',
  example: '{ "clip_id": "CLIP" }',
  input: z.looseObject({
    clip_id: z.string().min(1).describe('ID of the song after its extension'),
  }),
  ...musicSubmission,
});
