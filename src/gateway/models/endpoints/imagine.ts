import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { botType, noStorage, notifyHook } from './image-fields.ts';
import { imageSubmission } from './submission.ts';

/** docs/gateway.md G11.6 */
export const imagine = defineModelEndpoint({
  name: 'imagine',
  method: 'POST',
  path: '/imgjob/submit/imagine',
  statement: 'G11.6',
  summary: 'Make images from a prompt.',
  example: '{ "prompt": "a lighthouse at dusk", "botType": "STYLIZED_BOT" }',
  input: z.looseObject({
    prompt: z.string().min(1).describe('what the images show'),
    botType,
    base64Array: z
      .array(z.string().min(1))
      .nullable()
      .optional()
      .describe('image to begin with; can be repeated')
      .meta({ flag: 'image', file: 'data-uri' }),
    notifyHook: notifyHook.nullable(),
    noStorage,
    accountFilter: z.looseObject({}).optional().describe('account filter, as JSON'),
  }),
  ...imageSubmission,
});
