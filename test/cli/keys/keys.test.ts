import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault, isFault, unixMillis } from '../../../src/core/index.ts';
import { define } from '../../../src/cli/keys/command.ts';
import { callLocally, commandTable } from '../../../src/control/index.ts';
import { personOf } from '../../../src/cli/keys/person.ts';
import {
  fakeKeyService,
  keyFixture,
  compromisePlanned,
  now,
  plannedRotation,
  surveyed,
  type FakeKeyService,
  type KeyFixture,
} from '../../app/support/fake-key-service.ts';
import { approved, titled } from '../../support/approved.ts';
import { handlersWith } from '../../support/unexpected-handlers.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { openFolder, programDeps, type Folder, type Ran } from '../../support/program.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

type Asked = Ran & { readonly questions: string[] };

/** Runs `keys …` over the commands of a fixture; `answer` is what a person on a terminal says. */
const runOver = async (
  { keys }: Pick<KeyFixture, 'keys'>,
  argv: readonly string[],
  answer?: boolean,
  fromDaemon = true,
): Promise<Asked> => {
  const output = { stdout: '', stderr: '' };
  const questions: string[] = [];
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => void (output[name] += text),
    isTerminal: false,
    columns: 100,
  });
  const deps = programDeps(folder.path, stream('stdout'), stream('stderr'), { clock: manualClock(now) });
  const program = new Command('tollkeeper')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: deps.stdout.write, writeErr: deps.stderr.write });
  define(program.command('keys'), deps, {
    person: () => 'person anna',
    openKeys: async () => ({
      call: callLocally(commandTable, handlersWith(keys)),
      fromDaemon,
      progress: ({ step, detail }) =>
        deps.stderr.write(detail === undefined ? `${step}\n` : `${step}: ${detail}\n`),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
    ask:
      answer === undefined
        ? undefined
        : async (question) => {
            questions.push(question);
            return answer;
          },
  });
  const inherit = (parent: Command): void => {
    for (const command of parent.commands) inherit(command.exitOverride().copyInheritedSettings(parent));
  };
  inherit(program);
  let code = 0;
  program.hook('postAction', (_, action) => {
    const given: unknown = action.getOptionValue('exitCode');
    if (typeof given === 'number') code = given;
  });
  try {
    await program.parseAsync(['keys', ...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) code = error.exitCode === 0 ? 0 : 2;
    else if (isFault(error)) {
      code = error.exitCode;
      output.stderr += `${error.message}\n  what to do: ${error.advice}\n`;
    } else throw error;
  }
  return { code, ...output, questions };
};

let main: FakeKeyService;
let fixture: KeyFixture;
beforeEach(() => {
  main = fakeKeyService('main', [surveyed(1, 'billing.g7'), surveyed(2, 'idle')]);
  fixture = keyFixture({ main });
});
const run = (...argv: string[]): Promise<Asked> => runOver(fixture, argv);
const json = async (...argv: string[]): Promise<unknown> => JSON.parse((await run(...argv, '--json')).stdout);

describe('keys and keys list', () => {
  it('show the same page, and JSON with what needs attention', async () => {
    const page = await run();
    expect(page).toMatchObject({ code: 0, questions: [] });
    expect(page.stdout).toBe((await run('list')).stdout);
    expect(page.stdout).toMatch(/^KEY +ID +SERVICE +AGE +EXPIRES +LAST CALL +IDLE +SPEND$/m);
    expect(page.stdout).toMatch(
      /^billing\.g7 +1 +billing g7 +40 d +never +2026-11-21 08:27 +3 min +3\.25 USD$/m,
    );
    expect(await json('list', 'idle')).toMatchObject({
      keys: [
        {
          name: 'idle',
          created: '2026-10-12T08:30:00.000Z',
          attention: [expect.stringContaining('no calls')],
        },
      ],
    });
  });

  it('are refused with 2 for wrong use, as the other key commands are, before the gateway is asked', async () => {
    const plaintext = 'sk-the-key-itself';
    const errors: [string, string][] = [];
    for (const argv of [
      'list unknown',
      'list biling',
      'lst',
      'list lst',
      'list --days 0',
      'forget',
      'rotate',
      'create batch',
      'create batch -j rotate-prod',
      'create batch -j rotate-prod --quota 1 --unlimited',
      'adopt idle -s billing',
      'adopt idle -s billing -g 0',
      `confirm billing ${plaintext}`,
      'expire billing --yes',
      'rotate billing --now',
      'expire idle',
      'history biling',
      'history wholly-other',
      'audit',
      'apply nothing.json',
      'plan -o plan.json',
    ]) {
      const { code, stdout, stderr } = await run(...argv.split(' '));
      expect([argv, code, stdout]).toEqual([argv, 2, '']);
      errors.push([`keys ${argv.replace(plaintext, '…')}`, stderr.replaceAll(folder.path, '<folder>')]);
    }
    expect(main.asked).toEqual([]);
    const text = titled(errors);
    expect(text).not.toContain(plaintext);
    await expect(text).toMatchFileSnapshot(approved('cli/keys-wrong-use'));
  });
});

describe('keys plan and apply', () => {
  const plan = async (): Promise<void> => {
    fixture.plans['rotate-prod'] = { rotations: [plannedRotation(surveyed(1, 'billing.g7'))] };
    expect((await run('plan', 'rotate-prod', '-o', 'plan.json')).stdout).toMatch(/written to plan\.json\n$/);
  };
  it('write a plan to a file and do what it says', async () => {
    await plan();
    expect(main.asked).toEqual([]);
    expect((await run('plan')).stdout).toMatch(
      /^rotate-prod .*: 1 change\n(.*\n)*expire-old .*: nothing to do now$/m,
    );
    const dry = await run('apply', 'plan.json', '--dry-run');
    expect(dry.stdout).toMatch(/^rotate +billing/m);
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nthe plan is not stale; .*\n$/) });
    expect(main.asked).toEqual([]);
    main.steps = [{ view: { stage: 'current', message: 'both keys work' }, moved: false }];
    const ran = await run('apply', 'plan.json');
    expect(ran).toMatchObject({ code: 0, questions: [], stderr: 'rotating billing: current\n' });
    expect(ran.stdout).toBe('billing: current\n  of billing.g7 (id 1)\n  both keys work\n');
    expect(main.asked).toMatchObject([['start', [{ service: 'billing' }], 'person anna']]);
  });
  it('give each unchanged key and the reason, always in JSON and on request in text', async () => {
    fixture.plans['rotate-prod'] = {
      notes: ['left as usual: 1 key'],
      skipped: [{ keyId: 2, name: 'idle', reason: 'not-due', message: 'it is due in 12 d' }],
    };
    expect(await json('plan', 'rotate-prod')).toMatchObject([
      { skipped: [{ keyId: 2, name: 'idle', reason: 'not-due', message: 'it is due in 12 d' }] },
    ]);
    const shown = await run('plan', 'rotate-prod', '--all');
    expect(shown.stdout).toContain('skipped: idle (ID 2), not-due: ');
    expect((await run('plan', 'rotate-prod')).stdout).toContain('left as usual: 1 key\n');
  });
  it('ask for confirmation on a terminal unless --yes is given', async () => {
    await plan();
    const refused = await runOver(fixture, ['apply', 'plan.json'], false);
    expect(refused).toMatchObject({ code: 1, questions: ['1 change. Continue?'] });
    expect(refused.stdout).toMatch(/^rotate +billing/m);
    expect(main.asked).toEqual([]);
    const confirmed = await runOver(fixture, ['apply', 'plan.json', '--yes'], false);
    expect(confirmed).toMatchObject({ code: 0, questions: [] });
    expect(main.asked).toHaveLength(1);
    await rm(join(folder.path, 'plan.json'));
  });
  it.each([undefined, true])(
    'stop at a stale plan and report what changed (terminal: %s)',
    async (answer) => {
      await plan();
      main.keys = [surveyed(1, 'billing.g7', {}, { group: 'vip' })];
      const ran = await runOver(fixture, ['apply', 'plan.json'], answer);
      expect(ran.code).toBe(1);
      expect(ran.stdout).toMatch(/the plan is stale.*\n- billing\.g7 \(id 1\): changed group\n/);
      const dry = await runOver(fixture, ['apply', 'plan.json', '--dry-run', '--json'], answer);
      expect(dry.code).toBe(1);
      expect(JSON.parse(dry.stdout)).toMatchObject({ stale: [expect.stringContaining('group')] });
      expect(ran.questions).toEqual([]);
      expect(main.asked).toEqual([]);
    },
  );
});

describe('manual key commands', () => {
  it('show each step, and exit with 1 when one failed', async () => {
    const candidate = { keyId: 8, name: 'billing.g8' };
    const failed = { stage: 'created', tries: 1, message: 'the sink is full', candidate } as const;
    main.steps = [
      { view: { stage: 'created' }, moved: true },
      { view: failed, moved: true, fault: fault('disk-full', 'no space') },
    ];
    const ran = await run('rotate', 'billing');
    expect(ran.code).toBe(1);
    const step = 'rotating billing: created';
    expect(ran.stderr).toBe(`${step}\nbilling: created: it is planned\n${step}\n`);
    expect(ran.stdout).toMatch(
      /^billing: created\n {2}billing\.g7 \(id 1\) → billing\.g8 \(id 8\)\n {2}the sink is full\n {2}no space\n {2}what to do: .*\(disk-full\)\n$/,
    );
  });
  it('ask for confirmation before a key ends or a rotation is given up, and do nothing when it is refused', async () => {
    const questions: [string, string][] = [];
    for (const argv of ['rotate billing --now', 'expire idle', 'expire idle --at +48h', 'give-up billing']) {
      main.asked.length = 0;
      const refused = await runOver(fixture, argv.split(' '), false);
      expect([argv, refused.code, main.asked]).toEqual([argv, 1, []]);
      questions.push([`keys ${argv}`, refused.questions.join('\n')]);
      const confirmed = await runOver(fixture, [...argv.split(' '), '--yes'], false);
      expect(confirmed).toMatchObject({ code: 0, questions: [] });
      expect(main.asked).toHaveLength(1);
    }
    await expect(titled(questions)).toMatchFileSnapshot(approved('cli/keys-questions'));
  });
  it('say that nothing advances open rotations without a daemon', async () => {
    const alone = (...argv: string[]): Promise<Asked> => runOver(fixture, argv, undefined, false);
    const message = /no daemon is running: .* `tollkeeper serve`, .*keys rotate billing`/;
    const left = { view: { stage: 'current', message: 'both keys work' }, moved: false } as const;
    main.steps = [left, left, left, left];
    const ran = await alone('rotate', 'billing', '--json');
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ notes: [expect.stringMatching(message)] });
    expect((await alone('resume', 'billing')).stdout.replaceAll('\n', ' ')).toMatch(message);
    expect((await alone('confirm', 'billing', 'ab'.repeat(32))).stdout).toMatch(message);
    expect((await run('rotate', 'billing')).stdout).not.toContain('daemon');
    main.events = [compromisePlanned('main', 'billing')];
    expect((await alone('rotate', 'billing', '--now', '--yes')).stdout).toContain('no daemon');
    main.steps = [{ view: { stage: 'waiting', message: 'see to it' }, moved: false }];
    expect((await alone('rotate', 'billing')).stdout).not.toContain('no daemon');
    main.steps = [{ view: { stage: 'done' }, moved: false }];
    expect((await alone('rotate', 'billing')).stdout).not.toContain('no daemon');
  });
  it('expire a key in a sink on request', async () => {
    expect((await run('expire', 'billing', '--yes', '--even-if-current')).code).toBe(0);
    expect(main.asked).toMatchObject([['expire', [{ keyId: 1, evenIfCurrent: true }], 'person anna']]);
  });
  it('rotate without confirmation in the regular case', async () => {
    expect((await runOver(fixture, ['rotate', 'billing'], false)).questions).toEqual([]);
    expect(await json('expire', 'idle', '--yes')).toMatchObject({
      good: true,
      changes: [{ keyId: 2, done: true }],
    });
  });
  it('confirm a fingerprint', async () => {
    const hash = 'AB'.repeat(32);
    expect((await run('confirm', 'billing', hash)).stdout).toBe('every place holds it\n');
    expect(main.asked).toEqual([['confirm', 'billing', hash.toLowerCase(), 'person anna']]);
  });
  it('report what adopt, create, resume and give-up did', async () => {
    expect((await run('adopt', 'idle', '-s', 'billing', '-g', '3')).stdout).toMatch(
      /^idle \(id 2\) .* 3 of billing\n$/,
    );
    await run('adopt', 'idle', '-s', 'billing', '-g', '3', '--move');
    expect(main.asked.map((one) => (one as object[])[1])).toMatchObject([{ move: false }, { move: true }]);
    expect((await run('create', 'batch', '-j', 'rotate-prod', '--unlimited')).code).toBe(0);
    expect((await run('resume', 'batch')).stdout).toMatch(/^batch: planned\n(.*\n)*it goes on\n$/);
    expect(await json('give-up', 'batch')).toEqual({ message: 'it is given up' });
  });
});

it('`keys history` prints a timeline, and everything recorded as JSON', async () => {
  const common = { who: 'person anna', account: 'main', service: 'billing', rotation: 'r1' };
  main.events = [
    { ...common, at: now, what: 'resumed' },
    { ...common, at: unixMillis(now + 7_200_000), what: 'done' },
  ];
  const { stdout } = await run('history', 'billing');
  await expect(stdout).toMatchFileSnapshot(approved('cli/keys-history'));
  expect(await json('history')).toMatchObject([
    { at: '2026-11-21T08:30:00.000Z', what: 'resumed', event: { rotation: 'r1' } },
    { what: 'done' },
  ]);
});

it('`keys history` accepts a service of the journal that has no key, and one without steps', async () => {
  expect(await run('history', 'idle')).toMatchObject({ code: 0, stdout: 'no steps\n' });
  const common = { who: 'person anna', account: 'main', service: 'former', rotation: 'r1' };
  main.events = [{ ...common, at: now, what: 'done' }];
  expect((await run('history', 'former')).stdout).toContain('● done');
  expect((await run('history', 'formr')).stderr).toContain('did you mean former?');
});

it('the actor is the user of the system, or its number without a name', () => {
  const user = { username: 'anna', uid: 1, gid: 1, shell: null, homedir: '/' };
  expect(personOf((() => user) as never)).toBe('person anna');
  expect(
    personOf(() => {
      throw new Error('no such user');
    }),
  ).toMatch(/^person of uid \d+$/);
});
