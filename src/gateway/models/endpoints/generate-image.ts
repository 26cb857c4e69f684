import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { each, object, text, whole } from '../fields.ts';

const usage = object({
  ...each(whole, 'prompt_tokens', 'completion_tokens', 'total_tokens'),
  prompt_tokens_details: object(each(whole, 'cached_tokens', 'audio_tokens')),
  completion_tokens_details: object(
    each(
      whole,
      'reasoning_tokens',
      'audio_tokens',
      'accepted_prediction_tokens',
      'rejected_prediction_tokens',
    ),
  ),
});

/** docs/gateway.md G12.2; an item has `url`, `b64_json` or both. */
export const generatedImages = object({
  created: whole,
  data: z.array(object({ url: text.optional(), b64_json: text.optional() })),
  usage: usage.nullish(),
});

/** docs/gateway.md G12.1 */
export const generateImage = defineModelEndpoint({
  name: 'generate-image',
  method: 'POST',
  path: '/v1/images/generations',
  statement: 'G12.1',
  summary: 'Generate images with a model.',
  example: '{ "model": "gpt-image-1", "prompt": "a lighthouse at dusk", "size": "1024x1024" }',
  input: z.looseObject({
    prompt: z.string().min(1).describe('what the image shows'),
    model: z.string().min(1).describe('model ID'),
    size: z.string().min(1).optional().describe('resolution, such as 1024x1024; models differ'),
  }),
  answer: generatedImages,
  essential: ['data'],
  rules: ({ data = [] }) =>
    data.flatMap((item, at) =>
      item?.url == null && item?.b64_json == null ? [`data[${at}] has neither url nor b64_json`] : [],
    ),
});
