import { access, chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../../src/keys/sinks/command/settings.ts';
import { runThen } from '../../../src/keys/index.ts';
import {
  delivery,
  key,
  never,
  older,
  openSinkFixture,
  plaintext,
  sha,
  thrownBy,
  type SinkFixture,
} from './support.ts';

const proof = sha(plaintext);

const program = async (fixture: SinkFixture, name: string, body: string): Promise<string> => {
  const path = join(fixture.folder, name);
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
};

const seen = (fixture: SinkFixture, name: string): Promise<string> =>
  readFile(join(fixture.folder, name), 'utf8');

/** Variables that the shell of the script sets by itself. */
const ofTheShell = ['PWD', 'OLDPWD', 'SHLVL', '_'];

const variablesSeen = async (fixture: SinkFixture): Promise<string[]> =>
  (await seen(fixture, 'env'))
    .trim()
    .split('\n')
    .filter((line) => !ofTheShell.includes(line.split('=')[0] ?? ''))
    .sort();

const spec = (argv: readonly string[], read?: readonly string[]): CommandSpec => ({
  kind: 'command',
  argv,
  env: ['GIVEN'],
  timeout: 60_000,
  ...(read === undefined ? {} : { read }),
});

const listen = `cat > input; env > env; printf '%s\\n' "$@" > argv`;

/** Until a file is there. */
const appearance = async (path: string): Promise<void> => {
  for (;;) {
    try {
      await access(path);
      return;
    } catch {
      await new Promise(setImmediate);
    }
  }
};

describe('a command sink', () => {
  it('gets the key only on standard input, with an allow-listed environment and no shell', async () => {
    await using fixture = await openSinkFixture();
    const store = await program(fixture, 'store', `${listen}; echo stored; echo '${proof}  -'; echo`);
    const read = await program(fixture, 'read', `test "$(cat)" = '' && echo ${proof}`);
    const path = process.env['PATH'];
    const env = { PATH: path, GIVEN: 'yes', GATEWAY_ADMIN_KEY: 'sk-admin-never' };
    const sink = fixture.sink(spec([store, '--for', '{service}', '$(id)'], [read]), { env });
    expect(sink.place).toMatch(/^command:main\/billing:.*store~[0-9a-f]{12}$/);
    expect(await sink.problems(never)).toEqual([]);
    expect(await sink.deliver(key, delivery, never)).toEqual({ fingerprint: proof });
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'holds', fingerprint: proof });
    expect(await seen(fixture, 'input')).toBe(plaintext);
    expect(await seen(fixture, 'argv')).toBe('--for\nbilling\n$(id)\n');
    expect(await variablesSeen(fixture)).toEqual([
      'GIVEN=yes',
      `PATH=${path}`,
      'TOLLKEEPER_ACCOUNT=main',
      'TOLLKEEPER_GENERATION=7',
      'TOLLKEEPER_KEY_NAME=billing.g7',
      'TOLLKEEPER_SERVICE=billing',
    ]);
  });

  it.each([
    ['lies', `echo ${sha('another')}`, 'SHA-256 of a different value'],
    ['proves nothing', 'echo done', 'did not prove'],
    ['fails', `echo "no room for $(cat) beside ${older}" >&2; exit 3`, 'for [secret] beside [secret]”'],
    ['ends by a signal', 'kill -TERM $$', 'SIGTERM'],
  ])('that %s fails, and its output is shown without secrets', async (_, body, message) => {
    await using fixture = await openSinkFixture();
    const sink = fixture.sink(spec([await program(fixture, 'store', body)]));
    const error = await thrownBy(sink.deliver(key, delivery, never));
    expect(error).toMatchObject({ code: 'sink-failed', message: expect.stringContaining(message) });
    expect(String(error)).not.toContain(plaintext);
    expect(await sink.fingerprint(delivery, never)).toMatchObject({ state: 'unreadable' });
  });

  it('is read by another command: nothing, or an answer that proves nothing', async () => {
    await using fixture = await openSinkFixture();
    const silent = fixture.sink(spec(['true'], ['true']));
    expect(await silent.deliver(key, delivery, never)).toEqual({});
    expect(await silent.fingerprint(delivery, never)).toEqual({ state: 'empty' });
    const chatty = fixture.sink(spec(['true'], ['echo', 'hello']));
    expect(await thrownBy(chatty.fingerprint(delivery, never))).toMatchObject({ code: 'sink-failed' });
  });

  it('that never reads its input, prints endlessly or does not exist does no harm', async () => {
    await using fixture = await openSinkFixture();
    const deaf = await program(
      fixture,
      'deaf',
      `i=0; while [ $i -lt 3000 ]; do echo ${'x'.repeat(100)}; i=$((i+1)); done; echo ${proof}`,
    );
    expect(await fixture.sink(spec([deaf])).deliver(key, delivery, never)).toEqual({ fingerprint: proof });
    const missing = fixture.sink(spec(['no-such-program', 'x'], [deaf]));
    expect(await missing.problems(never)).toMatchObject([
      { message: expect.stringMatching(/^no-such-program .*executable/) },
    ]);
    expect(await thrownBy(missing.deliver(key, delivery, never))).toMatchObject({ code: 'sink-refused' });
  });

  it('that takes too long is stopped with all its child processes, and so is one whose run is stopped', async () => {
    await using fixture = await openSinkFixture();
    // What it starts holds its output: while that lives, the clock that stands still lets nothing end.
    const slow = await program(fixture, 'slow', 'sleep 600 & touch "$1"; sleep 600');
    const late = fixture.sink(spec([slow, 'late'])).deliver(key, delivery, never);
    await appearance(join(fixture.folder, 'late'));
    fixture.clock.advance(60_000);
    expect(await thrownBy(late)).toMatchObject({
      code: 'sink-failed',
      message: expect.stringContaining('timed out after 60 s'),
    });
    const stopping = new AbortController();
    const stopped = fixture.sink(spec([slow, 'stopped'])).deliver(key, delivery, stopping.signal);
    await appearance(join(fixture.folder, 'stopped'));
    stopping.abort(new Error('stopped by hand'));
    expect(await thrownBy(stopped)).toMatchObject({ message: 'stopped by hand' });
  });
});

describe('the command after a cutover', () => {
  it('is notified of the service and gets no secret', async () => {
    await using fixture = await openSinkFixture();
    const reload = await program(fixture, 'reload', listen);
    const order = { argv: [reload, 'reload', '{service}'], env: [], timeout: 60_000 };
    await runThen(order, delivery, fixture.deps, never);
    expect([await seen(fixture, 'input'), await seen(fixture, 'argv')]).toEqual(['', 'reload\nbilling\n']);
    const path = process.env['PATH'];
    expect(await variablesSeen(fixture)).toEqual([
      `PATH=${path}`,
      'TOLLKEEPER_ACCOUNT=main',
      'TOLLKEEPER_SERVICE=billing',
    ]);
    const failing = runThen({ ...order, argv: ['false'] }, delivery, fixture.deps, never);
    expect(await thrownBy(failing)).toMatchObject({ code: 'command-failed' });
    const strange = runThen(order, { account: 'main', service: 'a; rm -rf /' }, fixture.deps, never);
    expect(await thrownBy(strange)).toMatchObject({ code: 'sink-refused' });
  });
});
