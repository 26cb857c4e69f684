import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exemptFile } from '../support/secret-watch.ts';
import { compileProgram } from './support/built-program.ts';
import { openFixture, type Fixture } from './support/fixture.ts';
import { openRecordingProgram, type RecordedCall } from './support/record-calls.ts';

/** Functions between what a user types and the request that has the effect. */
const maxDepth = 17;

/** A key `billing`, and a job that rotates it. */
const declareRotation = async ({ folder, jobs, sandbox }: Fixture): Promise<void> => {
  await jobs(
    `rotate-prod:
    kind: rotate-keys
    keys: { name: "billing*" }
    every: 30d
    mode: apply
    deliver: [{ file: { path: "${join(folder.path, 'secrets', '{service}.env')}", variable: KEY } }]
    verify: { embeddings: { model: text-embedding-3-small } }
    retire: { when: after-overlap }`,
  );
  exemptFile(await folder.write('secrets/billing.env', 'KEY=\n'));
  sandbox.state.keys.create({
    name: 'billing',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: sandbox.state.seconds(),
  });
};

/** What a request went through, from the first function that is called so. */
const pathOf = (calls: readonly RecordedCall[], wanted: string, first: string): readonly string[] => {
  const call = calls.find(({ request }) => request === wanted);
  if (call === undefined) throw new Error(`no ${wanted} among ${calls.map(({ request }) => request).join()}`);
  const begins = call.functions.findIndex((name) => name === first);
  if (begins === -1) throw new Error(`${wanted} never went through ${first}: ${call.functions.join('\n')}`);
  return call.functions.slice(begins);
};

const action = 'cli/keys/key-command.ts action(…) of addKeyCommand';
const creation = 'POST /api/token/';

it(`keys rotate enters at most ${maxDepth} functions from its action to the request for the new key`, async () => {
  await using program = await compileProgram();
  await using recording = await openRecordingProgram(program);
  {
    await using fixture = await openFixture(recording);
    await declareRotation(fixture);
    expect(await fixture.command('keys', 'rotate', 'billing')).toMatchObject({ code: 0 });
    const alone = pathOf(await recording.calls(), creation, action);
    expect(alone.at(-1)).toBe('http/create-http.ts send');
    expect(alone.length, alone.join('\n')).toBeLessThanOrEqual(maxDepth);
  }
  await recording.forget();
  await using fixture = await openFixture(recording);
  await declareRotation(fixture);
  const daemon = await fixture.serve();
  expect(await fixture.command('keys', 'rotate', 'billing')).toMatchObject({ code: 0 });
  daemon.kill('SIGTERM');
  await daemon.ended;
  const calls = await recording.calls();
  const path = [
    ...pathOf(calls, 'control POST /keys/rotate', action),
    ...pathOf(calls, creation, 'control/server.ts createLimitedServer(…) of server'),
  ];
  expect(path.length, path.join('\n')).toBeLessThanOrEqual(maxDepth);
});
