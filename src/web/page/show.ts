import type { Context } from 'hono';
import type { Html } from './widgets.ts';

export type PageStatus = 200 | 400 | 401 | 403 | 404 | 405 | 410 | 413 | 421 | 429 | 503;

export const show = async (context: Context, page: Html, status: PageStatus) =>
  context.html(await page, status);
