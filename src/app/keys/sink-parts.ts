import type { Deps, NamedGates } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { createHttp, type Http } from '../../http/index.ts';
import type { RotateSettings } from '../../jobs/index.ts';
import type { SinkDeps } from '../../keys/index.ts';
import { version } from '../../version.ts';

/** Opens connections on first use. */
export type SinkParts = AsyncDisposable & { readonly get: () => SinkDeps };

const timeouts = { connect: 10_000, headers: 30_000, idle: 30_000, total: 60_000 };

export const openSinkParts = ({ clock, random, secrets, env, cwd }: Deps, gates: NamedGates): SinkParts => {
  const https: Http[] = [];
  const openHttp = (ca: readonly string[]): Http => {
    const http = createHttp({ userAgent: `tollkeeper/${version}`, env, ca, timeouts });
    https.push(http);
    return http;
  };
  let made: SinkDeps | undefined;
  return {
    get: () => (made ??= { http: openHttp([]), openHttp, env, cwd, clock, random, secrets, gates }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(https.map((http) => http[Symbol.asyncDispose]()));
    },
  };
};

/** Undefined unless the job rotates keys of the account. */
export const rotateSettings =
  ({ jobs }: Config) =>
  (name: string, account: string): RotateSettings | undefined => {
    const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
    // The config has parsed the fields with the shape of this kind.
    return job?.kind === 'rotate-keys' && job.account === account
      ? (job.fields as RotateSettings)
      : undefined;
  };
