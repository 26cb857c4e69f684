import { open, readFile } from 'node:fs/promises';
import { ClientRequest } from 'node:http';
import { DuckDBConnection } from '@duckdb/node-api';
import { Agent, type Dispatcher } from 'undici';
import { afterEach, expect, it, vi } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';
import { openJobFixture } from '../support/job-fixture.ts';
import type { Ran } from '../support/program.ts';
import { joinPaths, pathOnPage, pathText, stepsUnderWay, type PathStep } from './call-paths.ts';

const readPage = () => readFile(new URL('../../docs/architecture.md', import.meta.url), 'utf8');

afterEach(() => {
  vi.restoreAllMocks();
});

/** Records before each call of the method whose first argument is wanted. */
const watch = <T extends object>(
  target: T,
  method: keyof T & string,
  isWanted: (first: unknown) => boolean,
  record: () => void,
): void => {
  const original = target[method] as (...given: readonly unknown[]) => unknown;
  vi.spyOn(target, method as never).mockImplementation(function traced(this: unknown, ...given: unknown[]) {
    if (isWanted(given[0])) record();
    return original.apply(this, given);
  } as never);
};

it('docs/architecture.md lists the functions that a row of the call log passes through until it is stored, at most 23', async () => {
  await using fixture = await openJobFixture({ months: 1, callsPerDay: 20 });
  const paths: (readonly PathStep[])[] = [];
  const { gateway } = fixture.context.account;
  const handle = await open(new URL(import.meta.url));
  const files = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const record = () => paths.push(stepsUnderWay());
  watch(files, 'writev', () => true, record);
  for (const method of ['run', 'runAndReadAll', 'prepare'] as const)
    watch(
      DuckDBConnection.prototype,
      method,
      (sql) => /^\s*INSERT INTO call_log\b/.test(String(sql)),
      record,
    );
  const exportLogs: typeof gateway.exportLogs = async (query, options) => {
    const answer = await gateway.exportLogs(query, options);
    async function* body(): AsyncGenerator<Uint8Array> {
      record();
      yield* answer.body;
    }
    return { ...answer, body: body() };
  };
  await fixture.run(
    'pull-logs',
    { since: '2026-01-01' },
    { account: { ...fixture.context.account, gateway: { ...gateway, exportLogs } } },
  );
  // Before its first window, a pull learns the format of the export from a few rows that it does not store.
  const steps = joinPaths(paths.filter((path) => !path.some(({ name }) => name === 'openLogSession')));
  expect(steps.length).toBeLessThanOrEqual(23);
  expect(pathText(steps)).toBe(pathOnPage(await readPage(), 'a row of the call log'));
});

it('docs/architecture.md lists the functions that `keys rotate` enters until it requests the new key, at most 15', async () => {
  await using fixture = await openRotationFixture();
  const paths: (readonly PathStep[])[] = [];
  const stopping = new AbortController();
  const { daemon } = await new Promise<{ readonly daemon: Promise<Ran> }>((resolve) => {
    const started: { readonly daemon: Promise<Ran> } = {
      daemon: fixture.folder.run(['serve'], {
        env: fixture.env,
        clock: fixture.clock,
        signal: stopping.signal,
        onOutput: (text) => {
          if (text.includes('"serving"')) resolve(started);
        },
      }),
    };
    void started.daemon.then(() => resolve(started));
  });
  const record = () => paths.push(stepsUnderWay());
  watch(ClientRequest.prototype, 'end', () => true, record);
  const isCreation = (request: unknown): boolean => {
    const { method, path } = request as Dispatcher.DispatchOptions;
    return method === 'POST' && path === '/api/token/';
  };
  watch(Agent.prototype, 'dispatch', isCreation, record);
  const { code, stderr } = await fixture.run('keys', 'rotate', 'app', '--yes', '--now');
  stopping.abort();
  await daemon;
  expect(code, stderr).toBe(0);
  const steps = joinPaths(paths);
  expect(steps.length).toBeLessThanOrEqual(15);
  expect(pathText(steps)).toBe(pathOnPage(await readPage(), 'keys rotate'));
});
