import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileNames } from '../../src/sandbox/index.ts';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, parsed, yearly } from './support/fixture.ts';
import { affectedCommands, playHostile, since } from './support/hostile-fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

describe.concurrent('a gateway with the hostile behaviour', () => {
  it.each(hostileNames)('%s leaves every command with its valid data or a catalogue error', async (name) => {
    await playHostile(program, name, affectedCommands(name));
  });
});

it(
  'the health endpoint of a daemon answers during every hostile behaviour',
  { timeout: 600_000 },
  async () => {
    await using fixture = await openFixture(program, { months: 1, callsPerDay: 20 });
    // Straight to the sandbox: endless bodies do not pass the gateway that holds exports back.
    await fixture.folder.write(
      'config/tollkeeper.yaml',
      `accounts:
  main: { base_url: "${fixture.sandbox.baseUrl}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 256MB, threads: 1 }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`,
    );
    await fixture.jobs(
      `pull-logs: { kind: pull-logs, schedule: "${yearly()}", since: ${since}, retries: { limit: 0 } }`,
      `pull-usage: { kind: pull-usage, schedule: "${yearly()}", since: ${since}, retries: { limit: 0 } }`,
      `snapshot: { kind: snapshot, schedule: "${yearly()}", retries: { limit: 0 } }`,
    );
    // The heap of a small container; a process whose heap is exhausted dies.
    fixture.env['NODE_OPTIONS'] = '--max-old-space-size=256';
    const daemon = await fixture.serve();
    const address = String(parsed(await daemon.line('"serving"'))['health']);
    for (const name of hostileNames) {
      fixture.sandbox.state.hostile = name;
      const job = name.startsWith('csv') ? 'pull-logs' : name.startsWith('usage') ? 'pull-usage' : 'snapshot';
      const ended = new AbortController();
      const run = fixture.here('run', job).finally(() => {
        ended.abort();
      });
      do {
        const answer = await fetch(`http://${address}/healthz`);
        expect(answer.status, name).toBe(200);
        await answer.text();
      } while (!ended.signal.aborted);
      expect([0, 1], name).toContain((await run).code);
    }
  },
);
