import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { feedClip } from './clip.ts';

/** docs/gateway.md G10.4. The separator is open; `joinedIds` uses the one that was seen. */
export const feed = defineModelEndpoint({
  name: 'feed',
  method: 'GET',
  path: '/music/feed/{clip_id}',
  statement: 'G10.4',
  summary: 'Show songs by their IDs.',
  example: '{ "clip_id": "CLIP" }',
  input: z.looseObject({
    clip_id: z.string().min(1).describe('ID of a song, or several joined by commas'),
  }),
  answer: z.array(feedClip),
  essential: [],
});
