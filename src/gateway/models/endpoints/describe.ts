import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { notifyHook } from './image-fields.ts';
import { imageSubmission } from './submission.ts';

/** docs/gateway.md G11.8 */
export const describe = defineModelEndpoint({
  name: 'describe',
  method: 'POST',
  path: '/imgjob/submit/describe',
  statement: 'G11.8',
  summary: 'Describe an image in words.',
  example: '{ "link": "https://example.com/image.png", "language": "zh" }',
  input: z.looseObject({
    base64: z
      .string()
      .min(1)
      .optional()
      .describe('image to describe')
      .meta({ flag: 'image', file: 'data-uri' }),
    link: z.string().min(1).optional().describe('link to the image'),
    notifyHook,
    language: z.enum(['in', 'zh']).optional().describe('language of the description'),
  }),
  check: ({ base64, link }) =>
    (base64 === undefined) === (link === undefined) ? ['exactly one of base64 and link is required'] : [],
  ...imageSubmission,
});
