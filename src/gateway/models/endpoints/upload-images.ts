import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { object, text, whole } from '../fields.ts';

/** docs/gateway.md G11.11 and G11.12 */
export const uploadImages = defineModelEndpoint({
  name: 'upload-images',
  method: 'POST',
  path: '/imgjob/submit/upload-chat-images',
  statement: 'G11.11',
  summary: 'Upload images, and get a link for each.',
  example: '{ "base64Array": ["data:image/png;base64,…"] }',
  input: z.looseObject({
    base64Array: z
      .array(z.string().min(1))
      .min(1)
      .describe('image to upload; can be repeated')
      .meta({ flag: 'image', file: 'data-uri' }),
  }),
  answer: object({ code: whole, description: text, result: z.array(text) }),
  essential: ['code'],
  refusal: ({ code, description }) =>
    code === 1 ? undefined : { code: String(code ?? ''), message: description ?? '' },
});
