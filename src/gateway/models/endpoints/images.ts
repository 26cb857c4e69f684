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
const generatedImages = object({
  created: whole,
  data: z.array(object({ url: text.optional(), b64_json: text.optional() })),
  usage: usage.nullish(),
});

/** docs/gateway.md G12.1 */
export const generateImage = defineModelEndpoint({
  name: 'generate-image',
  method: 'POST',
  path: '/v1/images/generations',
  answers: 'json',
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

const image = (description: string) =>
  z.string().min(1).optional().describe(description).meta({ file: 'base64' });

/** docs/gateway.md G13.1. Which fields are required and the answer are open. */
export const editImage = defineModelEndpoint({
  name: 'edit-image',
  method: 'POST',
  path: '/imgedit/v1/edit-context-pro',
  answers: 'json',
  statement: 'G13.1',
  summary: 'Edit an image as a prompt says.',
  example: '{ "prompt": "make it night", "input_image": "…base64…", "output_format": "jpeg" }',
  input: z.looseObject({
    prompt: z.string().optional().describe('what to change'),
    input_image: image('image to edit'),
    input_image_2: image('second image'),
    input_image_3: image('third image'),
    input_image_4: image('fourth image'),
    seed: z.int().optional().describe('the same seed gives the same image'),
    aspect_ratio: z.string().optional().describe('such as 16:9'),
    output_format: z.string().optional().describe('such as jpeg'),
    webhook_url: z.string().min(1).optional().describe('URL that receives the result'),
    webhook_secret: z.string().optional().describe('secret that is sent to the webhook'),
    prompt_upsampling: z.boolean().optional().describe('let the gateway extend the prompt'),
    safety_tolerance: z.int().optional().describe('how tolerant the moderation is'),
  }),
  // The images are found wherever they are: as a body of their own, in base64, or as a link.
  answer: object({}),
  answersMedia: true,
  essential: [],
});
