import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { botType, notifyHook, state } from './image-fields.ts';
import { imageSubmission } from './submission.ts';

/** docs/gateway.md G11.7 */
export const blend = defineModelEndpoint({
  name: 'blend',
  method: 'POST',
  path: '/imgjob/submit/blend',
  statement: 'G11.7',
  summary: 'Blend several images into one.',
  example:
    '{ "base64Array": ["data:image/png;base64,…", "data:image/png;base64,…"], "dimensions": "SQUARE" }',
  input: z.looseObject({
    base64Array: z
      .array(z.string().regex(/^data:[^,]*;base64,/, 'expected a data URI in base64'))
      .min(1)
      .describe('image to blend; repeat it for each image')
      .meta({ flag: 'image', file: 'data-uri' }),
    botType,
    dimensions: z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE']).optional().describe('2:3, 1:1 or 3:2'),
    notifyHook,
    state,
  }),
  ...imageSubmission,
});
