import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { object } from '../fields.ts';

const image = (description: string) =>
  z.string().min(1).optional().describe(description).meta({ file: 'base64' });

/** docs/gateway.md G13.1. Which fields are required and the answer are open. */
export const editImage = defineModelEndpoint({
  name: 'edit-image',
  method: 'POST',
  path: '/imgedit/v1/edit-context-pro',
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
