import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fault } from '../core/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { startApplication } from './application.ts';
import type { MovingClock } from './moving-clock.ts';

export const service = 'billing';
const job = 'rotate-billing';
const variable = 'GATEWAY_API_KEY';
const hour = 3_600_000;
const day = 24 * hour;

/** What the part on keys needs of the demo; `run` gives the summary of a run that ended well. */
export type KeyDemo = {
  readonly clock: MovingClock;
  readonly gateway: Sandbox;
  /** Absolute path of the sink. */
  readonly file: string;
  readonly run: (job: string) => Promise<string>;
  readonly plan: (job: string) => Promise<readonly string[]>;
  /** What else is shown once the clock is a day later and the call log pulled. */
  readonly afterDay: () => Promise<void>;
  readonly say: (line: string) => void;
  readonly step: (line: string) => void;
  readonly must: (holds: boolean, message: string) => void;
};

/** A key that was made by hand a month ago, and put where the application reads it. */
const makeOldKey = async ({ clock, gateway, file }: KeyDemo): Promise<void> => {
  clock.move(-31 * day);
  const answer = await fetch(`${gateway.baseUrl}/api/token/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: service,
      unlimited_quota: true,
      remain_quota: 0,
      expired_time: -1,
      group: '',
    }),
  });
  clock.move(31 * day);
  const { data } = (await answer.json()) as { readonly data?: { readonly key: string } };
  if (data === undefined) throw fault('demo-failed', 'the sandbox made no key');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `# of the billing service\nREGION=eu\n${variable}=${data.key}\n`, { mode: 0o600 });
};

/** A key is planned, made, cut over to, and the old one retired on evidence, while an application calls all the while. */
export const rotateKey = async (demo: KeyDemo): Promise<void> => {
  const { clock, gateway, must, say, step } = demo;
  const names = (): readonly string[] =>
    gateway.state.keys
      .all()
      .map(({ name }) => name)
      .filter((name) => name.startsWith(service));
  await makeOldKey(demo);
  await using application = await startApplication({
    baseUrl: gateway.baseUrl,
    file: demo.file,
    variable,
    clock,
  });
  await application.more(10);
  const before = gateway.requests.writes();
  const plan = await demo.plan(job);
  must(gateway.requests.writes() === before, 'the plan wrote to the gateway');
  step(`${job} --dry-run: the gateway counts no write. Its plan:`);
  for (const line of plan) say(`   ${line}`);

  step(`${job}: ${await demo.run(job)}.`);
  clock.move(hour);
  await application.more(10);
  const during = application.calls();
  must(names().length === 2, `two keys were to overlap, there are ${names().join(', ')}`);
  must(during.keys === 2, 'the application took up no new key');
  say(`   Overlap: ${names().join(' and ')} both work; the application has taken up the new one.`);

  clock.move(25 * hour);
  await application.more(10);
  step(`pull-logs, a day later by the clock of the demo: ${await demo.run('pull-logs')}.`);
  await demo.afterDay();
  step(`${job}: ${await demo.run(job)}.`);
  if (names().length !== 1)
    must(
      false,
      `one key was to be left, there are ${names().join(', ')}: ${(await demo.plan(job)).join('; ')}`,
    );
  await application.more(10);
  const { made, failed, keys } = application.calls();
  must(failed === 0 && keys === 2, `${failed} of ${made} calls failed, with ${keys} keys`);
  say(
    `   ${names().join(', ')} is left. The application made ${made.toLocaleString('en-US')} calls, read 2 keys, and none of its calls failed.`,
  );
};
