import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecretRegistry, fault, isFault, unixMillis } from '../../../src/core/index.ts';
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
} from '../../daemon/support/fake-key-service.ts';
import { handlersWith } from '../../support/unexpected-handlers.ts';
import { manualClock } from '../../support/manual-clock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollkeeper-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Ran = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly questions: string[];
};

/** Runs `keys …` over the commands of a fixture; `answer` is what a person on a terminal says. */
const runOver = async (
  { keys }: Pick<KeyFixture, 'keys'>,
  argv: readonly string[],
  answer?: boolean,
  fromDaemon = true,
): Promise<Ran> => {
  const output = { stdout: '', stderr: '' };
  const questions: string[] = [];
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => void (output[name] += text),
    isTerminal: false,
    columns: 100,
  });
  const deps = {
    env: {},
    cwd: folder,
    systemRoot: '/',
    clock: manualClock(now),
    random: () => 0,
    secrets: createSecretRegistry(),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    signal: new AbortController().signal,
    onHangup: () => ({ [Symbol.dispose]: () => undefined }),
    onUserSignal: () => ({ [Symbol.dispose]: () => undefined }),
  };
  const program = new Command('tollkeeper')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: deps.stdout.write, writeErr: deps.stderr.write });
  define(program.command('keys'), deps, {
    person: () => 'person anna',
    openKeys: async () => ({
      call: callLocally(commandTable, handlersWith(keys)),
      fromDaemon,
      progress: ({ step, detail }) => deps.stderr.write(`${step}: ${detail}\n`),
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
const run = (...argv: string[]): Promise<Ran> => runOver(fixture, argv);
const json = async (...argv: string[]): Promise<unknown> => JSON.parse((await run(...argv, '--json')).stdout);

it.each([
  'list',
  'plan',
  'apply',
  'rotate',
  'expire',
  'create',
  'adopt',
  'confirm',
  'resume',
  'give-up',
  'history',
  'audit',
])('keys %s shows examples', async (command) => {
  const ran = await run(command, '--help');
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(new RegExp(`Examples:\n(  .*\n)*  tollkeeper keys( ${command})?`));
});

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
        { name: 'idle', created: '2026-10-12T08:30:00.000Z', attention: ['no calls in this time range'] },
      ],
    });
  });
  it.each([
    [['list', 'nobody'], /no service, key or id matches nobody/],
    [['list', 'biling'], /no service, key or id matches biling\n {2}what to do: did you mean billing\?/],
    [['lst'], /no service, key or id matches lst\n {2}what to do: did you mean list\?/],
    [['list', 'lst'], /no service, key or id matches lst\n {2}what to do: `tollkeeper keys list`/],
    [['list', '--days', '0'], /from 1 to 10000/],
    [['forget'], /no service, key or id matches forget/],
    [['rotate'], /missing required argument/],
    [['create', 'batch'], /--job/],
    [['create', 'batch', '-j', 'rotate-prod'], /use --quota N or --unlimited/],
    [
      ['create', 'batch', '-j', 'rotate-prod', '--quota', '1', '--unlimited'],
      /either a quota or --unlimited/,
    ],
    [['adopt', 'idle', '-s', 'billing'], /generation/],
    [['adopt', 'idle', '-s', 'billing', '-g', '0'], /1 or more/],
    [['audit'], /add --verify/],
    [['apply', 'nothing.json'], /cannot be read \(ENOENT\)/],
    [['plan', '-o', 'plan.json'], /specify the job/],
  ])('%j is wrong use', async (argv, message) => {
    const ran = await run(...argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(main.asked).toEqual([]);
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
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nthe plan is not stale; nothing was written\n$/),
    });
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
    expect(shown.stdout).toContain('skipped: idle (ID 2), not-due: it is due in 12 d\n');
    expect((await run('plan', 'rotate-prod')).stdout).toContain('left as usual: 1 key\n');
  });
  it('ask for confirmation on a terminal unless --yes is given', async () => {
    await plan();
    const refused = await runOver(fixture, ['apply', 'plan.json'], false);
    expect(refused).toMatchObject({ code: 1, questions: ['1 change. Continue?'] });
    expect(refused.stdout).toMatch(/^rotate +billing/m);
    expect(main.asked).toEqual([]);
    expect(await runOver(fixture, ['apply', 'plan.json', '--yes'], false)).toMatchObject({
      code: 0,
      questions: [],
    });
    expect(main.asked).toHaveLength(1);
    await rm(join(folder, 'plan.json'));
  });
  it.each([undefined, true])(
    'stop at a stale plan and report what changed (terminal: %s)',
    async (answer) => {
      await plan();
      main.keys = [surveyed(1, 'billing.g7', {}, { group: 'vip' })];
      const ran = await runOver(fixture, ['apply', 'plan.json'], answer);
      expect(ran.code).toBe(1);
      expect(ran.stdout).toMatch(
        /the plan is stale; nothing was done:\n- billing\.g7 \(id 1\): changed group\n/,
      );
      const dry = await runOver(fixture, ['apply', 'plan.json', '--dry-run', '--json'], answer);
      expect([dry.code, JSON.parse(dry.stdout)]).toMatchObject([
        1,
        { stale: [expect.stringContaining('group')] },
      ]);
      expect(ran.questions).toEqual([]);
      expect(main.asked).toEqual([]);
    },
  );
  it('reject a changed file', async () => {
    await plan();
    const file = join(folder, 'plan.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"keyId": 1', '"keyId": 2'));
    expect(await run('apply', 'plan.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('was modified after it was created') as string,
    });
    expect(main.asked).toEqual([]);
  });
});

describe('manual key commands', () => {
  it('show each step, and exit with 1 when one failed', async () => {
    main.steps = [
      { view: { stage: 'created' }, moved: true },
      {
        view: {
          stage: 'created',
          tries: 1,
          message: 'the sink is full',
          candidate: { keyId: 8, name: 'billing.g8' },
        },
        moved: true,
        fault: fault('disk-full', 'no space'),
      },
    ];
    const ran = await run('rotate', 'billing');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      'rotating billing: created\nbilling: created: a key is to be made\nrotating billing: created\n',
    );
    expect(ran.stdout).toMatch(
      /^billing: created\n {2}billing\.g7 \(id 1\) → billing\.g8 \(id 8\)\n {2}the sink is full\n {2}no space\n {2}what to do: .*\(disk-full\)\n$/,
    );
  });
  it.each([
    [['rotate', 'billing', '--now'], 'The key of billing is replaced and deleted at once'],
    [['expire', 'idle'], 'idle is refused from now on'],
    [['expire', 'idle', '--at', '+48h'], 'idle is refused from +48h on'],
    [['give-up', 'billing'], 'The rotation of billing is abandoned'],
  ])('%j asks for confirmation', async (argv, question) => {
    const refused = await runOver(fixture, argv, false);
    expect(refused.code).toBe(1);
    expect(refused.questions[0]).toContain(question);
    expect(main.asked).toEqual([]);
    expect(await runOver(fixture, [...argv, '--yes'], false)).toMatchObject({ code: 0, questions: [] });
    expect(main.asked).toHaveLength(1);
  });
  it('say that nothing advances open rotations without a daemon', async () => {
    const alone = (...argv: string[]): Promise<Ran> => runOver(fixture, argv, undefined, false);
    const message =
      /no daemon is running: this will not advance until you start `tollkeeper serve`, .*keys rotate billing`/;
    const left = { view: { stage: 'current', message: 'both keys work' }, moved: false } as const;
    main.steps = [left, left, left, left];
    const ran = await alone('rotate', 'billing', '--json');
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      0,
      { notes: [expect.stringMatching(message)] },
    ]);
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
  it.each([[['rotate', 'billing', '--now']], [['expire', 'idle']]])(
    '%j needs --yes without a terminal',
    async (argv) => {
      const ran = await run(...argv);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toMatch(/no terminal for the confirmation\n {2}what to do: use --yes/);
      expect(main.asked).toEqual([]);
    },
  );
  it('expire a key in a sink on request', async () => {
    const refused = await run('expire', 'billing', '--yes');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/billing\.g7 \(id 1\) is the current key of billing: .*rotate-prod/);
    expect(refused.stderr).toMatch(/what to do: .*`tollkeeper keys rotate billing --now`.*--even-if-current/);
    expect(main.asked).toEqual([]);
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
  it('confirm a fingerprint and never print an invalid one', async () => {
    const hash = 'AB'.repeat(32);
    expect((await run('confirm', 'billing', hash)).stdout).toBe('every place holds it\n');
    expect(main.asked).toEqual([['confirm', 'billing', hash.toLowerCase(), 'person anna']]);
    const ran = await run('confirm', 'billing', 'sk-the-key-itself');
    expect(ran.code).toBe(2);
    expect(ran.stdout + ran.stderr).not.toContain('sk-the-key');
    expect(ran.stderr).toContain('your shell history');
  });
  it('report what adopt, create, resume and give-up did', async () => {
    expect((await run('adopt', 'idle', '-s', 'billing', '-g', '3')).stdout).toBe(
      'idle (id 2) is generation 3 of billing\n',
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
  expect((await run('history', 'billing')).stdout).toBe(
    [
      'times in UTC',
      'billing, r1',
      '2026-11-21 08:30:00  ○ resumed  an operator resumed the rotation (person anna)',
      '                     ┆ 2 h',
      '2026-11-21 10:30:00  ● done     the rotation is complete',
      '',
    ].join('\n'),
  );
  expect(await json('history')).toMatchObject([
    { at: '2026-11-21T08:30:00.000Z', what: 'resumed', event: { rotation: 'r1' } },
    { what: 'done' },
  ]);
});

it('`keys history` rejects an unknown service and lists the existing ones', async () => {
  const ran = await run('history', 'biling');
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('unknown service biling: no steps and no keys; services: billing, idle');
  expect(ran.stderr).toContain('did you mean billing?');
  expect((await run('history', 'wholly-other')).stderr).toContain('`tollkeeper keys list` shows the keys');
  expect(await run('history', 'idle')).toMatchObject({ code: 0, stdout: 'no steps\n' });
  const common = { who: 'person anna', account: 'main', service: 'former', rotation: 'r1' };
  main.events = [{ ...common, at: now, what: 'done' }];
  expect((await run('history', 'former')).stdout).toContain('the rotation is complete');
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
