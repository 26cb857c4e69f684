import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { each, flag, object, text, whole } from '../fields.ts';
import { personaClip } from './clip.ts';

/** docs/gateway.md G10.1. Which fields are required is open: the gateway decides. */
export const createPersona = defineModelEndpoint({
  name: 'create-persona',
  method: 'POST',
  path: '/music/persona/create',
  statement: 'G10.1',
  summary: 'Create a persona, the voice and style of a song.',
  example: '{ "root_clip_id": "CLIP", "name": "Night driver", "is_public": false }',
  input: z.looseObject({
    root_clip_id: z.string().optional().describe('ID of the song that the persona is taken from'),
    name: z.string().optional().describe('name of the persona'),
    description: z.string().optional().describe('what it sounds like'),
    clips: z.array(z.unknown()).optional().describe('IDs of further songs').meta({ flag: 'clip' }),
    is_public: z.boolean().optional().describe('whether others can use it'),
  }),
  answer: object({
    ...each(text, 'id', 'name', 'description', 'image_s3_id', 'root_clip_id'),
    clip: personaClip,
    ...each(text, 'user_display_name', 'user_handle', 'user_image_url'),
    persona_clips: z.array(object({ clip: personaClip, id: whole })),
    ...each(
      flag,
      'is_service_persona',
      'is_trashed',
      'is_owned',
      'is_public',
      'is_public_approved',
      'is_loved',
    ),
    ...each(whole, 'upvote_count', 'clip_count'),
  }),
  essential: ['id'],
});
