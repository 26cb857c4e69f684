import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuiltProgram, Running } from '../program/support/built-program.ts';

/** A throw-away volume and config in which daemons are started as the image starts them. */
export type BenchFixture = AsyncDisposable & {
  readonly path: string;
  readonly declare: (jobs: string) => Promise<void>;
  readonly start: () => Running;
};

const settings = `accounts:
  main: { base_url: "http://127.0.0.1:9", admin_key: "\${GATEWAY_ADMIN_KEY}" }
mail: { smtp: "smtp://127.0.0.1:9", from: "Tollkeeper <reports@example.com>" }
scheduler: { max_running: 64 }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`;

export const openBenchFixture = async (program: BuiltProgram): Promise<BenchFixture> => {
  const path = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  await mkdir(join(path, 'config/jobs'), { recursive: true });
  await writeFile(join(path, 'config/tollkeeper.yaml'), settings);
  return {
    path,
    declare: (jobs) => writeFile(join(path, 'config/jobs/jobs.yaml'), jobs),
    start: () =>
      program.start(['serve'], {
        cwd: path,
        env: {
          NODE_ENV: 'production',
          UV_THREADPOOL_SIZE: '16',
          TZ: 'UTC',
          GATEWAY_ADMIN_KEY: 'bench-admin-key',
        },
      }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
};
