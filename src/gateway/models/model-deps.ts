import { parseBaseUrl } from '../base-url.ts';
import type { ModelDeps } from './call-model.ts';

export type ModelDepsOptions = Omit<ModelDeps, 'base' | 'retry'> & {
  /** The address of the account: it serves both the admin and the model endpoints. */
  readonly baseUrl: string;
  readonly retry?: ModelDeps['retry'];
};

const defaultRetry = { attempts: 4, initial: 500, max: 30_000, longestRetryAfter: 300_000 };

/** What calls of model endpoints work with. @throws Fault `config-invalid`, `gateway-url-insecure` */
export const createModelDeps = ({ baseUrl, retry = defaultRetry, ...deps }: ModelDepsOptions): ModelDeps => ({
  ...deps,
  base: parseBaseUrl(baseUrl),
  retry,
});
