import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, pullLogs, yearly, type Fixture } from './support/fixture.ts';

/** Packages that cost more than 0.05 s of CPU to load, and the AWS client. */
const heavyPackages = [
  '@aws-sdk',
  '@duckdb',
  '@hono',
  '@opentelemetry',
  '@resvg',
  'age-encryption',
  'hono',
  'nodemailer',
  'prom-client',
  'undici',
  'write-excel-file',
];

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
});

/** The packages in a loaded file: that of its path, and those of which it holds modules, which the bundler marks. */
const packagesIn = async (url: string): Promise<readonly string[]> => {
  const text = url.includes('/dist/') ? await readFile(fileURLToPath(url), 'utf8') : url;
  return Array.from(text.matchAll(/(?:^\/\/ |\/)node_modules\/([^/\s]+)/gm), ([, name = '']) => name);
};

/** The heavy packages that a command loads. */
const heavyOf = async (
  fixture: Pick<Fixture, 'env' | 'folder'>,
  ...argv: readonly string[]
): Promise<readonly string[]> => {
  const record = join(fixture.folder.path, 'modules.txt');
  await writeFile(record, '');
  const hook = new URL('./support/record-modules.mjs', import.meta.url).href;
  const env = { ...fixture.env, NODE_OPTIONS: `--import ${hook}`, RECORD_MODULES: record };
  const running = program.start(argv, { cwd: fixture.folder.path, env });
  expect(await running.ended, running.stderr()).toMatchObject({ code: 0 });
  const loaded = (await readFile(record, 'utf8')).split('\n').filter((url) => url.startsWith('file:'));
  const packages = new Set((await Promise.all(loaded.map(packagesIn))).flat());
  expect(packages).toContain('commander');
  return heavyPackages.filter((name) => packages.has(name));
};

describe('a command loads the packages that it needs', () => {
  it.each([['--help'], ['--version'], ['keys', '--help'], ['report', '--help']])(
    'the help of %s loads no heavy package',
    async (...argv) => {
      await using fixture = await openFixture(program);
      expect(await heavyOf(fixture, ...argv)).toEqual([]);
    },
  );

  it('a command that asks the daemon loads no heavy package', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    await fixture.serve();
    for (const argv of [['status'], ['runs'], ['next'], ['outbox'], ['keys']])
      expect(await heavyOf(fixture, ...argv), argv.join(' ')).toEqual([]);
  });

  it('check never loads DuckDB: another process binds the SQL of reports', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    expect(await heavyOf(fixture, 'check')).toEqual([]);
    expect((await fixture.command('reports', 'new', 'own')).code).toBe(0);
    expect(await heavyOf(fixture, 'check')).toEqual([]);
  });

  it('a command without a daemon loads DuckDB', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    expect(await heavyOf(fixture, 'status')).toContain('@duckdb');
  });

  it('a command without a daemon loads OpenTelemetry if an endpoint is set and OTEL_SDK_DISABLED is not', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const withEnv = (more: Record<string, string>) => ({ ...fixture, env: { ...fixture.env, ...more } });
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const named = { OTEL_SERVICE_NAME: 'tollkeeper' };
    expect(await heavyOf(withEnv(named), 'status')).not.toContain('@opentelemetry');
    expect(await heavyOf(withEnv({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), 'status')).not.toContain(
      '@opentelemetry',
    );
    expect(await heavyOf(withEnv(endpoint), 'status')).toContain('@opentelemetry');
  });
});
