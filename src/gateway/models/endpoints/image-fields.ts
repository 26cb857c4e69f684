import { z } from 'zod';

// Fields that several submissions of image tasks take (docs/gateway.md G11.6 to G11.9).

export const botType = z
  .enum(['STANDARD_BOT', 'STYLIZED_BOT'])
  .optional()
  .describe('bot that makes the images');

export const notifyHook = z.string().min(1).optional().describe('URL that receives each change of the task');

export const state = z.string().optional().describe('text of your own, shown in the task');

export const noStorage = z.boolean().optional().describe('return the original link of the image');
