import { fault } from '../core/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { MovingClock } from './moving-clock.ts';

const service = 'launch-demo';
const hour = 3_600_000;
const day = 24 * hour;

/** What the part on budgets needs of the demo; `run` gives the summary of a run that ended well. */
export type BudgetDemo = {
  readonly clock: MovingClock;
  readonly gateway: Sandbox;
  readonly run: (job: string) => Promise<string>;
  /** Number of mails that have arrived. */
  readonly mails: () => number;
  readonly say: (line: string) => void;
  readonly step: (line: string) => void;
  readonly must: (holds: boolean, message: string) => void;
};

/** The key of a program that nobody expected. */
const makeKey = async ({ gateway }: BudgetDemo): Promise<string> => {
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
  const { data } = (await answer.json()) as { readonly data?: { readonly key: string } };
  if (data === undefined) throw fault('demo-failed', 'the sandbox made no key');
  return data.key;
};

const call = async ({ gateway }: BudgetDemo, key: string): Promise<void> => {
  const { status } = await fetch(`${gateway.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5',
      max_tokens: 4000,
      messages: [{ role: 'user', content: 'Write the launch announcement, in every detail. '.repeat(40) }],
    }),
  });
  if (status !== 200) throw fault('demo-failed', `a call of the sandbox was answered with ${status}`);
};

/** A budget is exceeded, which is mailed once with what was used. */
export const exceedBudget = async (demo: BudgetDemo): Promise<void> => {
  const { clock, must, run, say, step } = demo;
  // The calls and their evaluation, an hour later, lie on one day of the budget.
  const leftOfDay = day - (clock.now() % day);
  if (leftOfDay < 2 * hour) clock.move(leftOfDay);
  const key = await makeKey(demo);
  for (let made = 0; made < 40; made += 1) await call(demo, key);
  // Calls reach the call log as complete after the lag of the pull.
  clock.move(hour);
  const before = demo.mails();
  await run('pull-logs');
  step(`budget-alerts: ${await run('budget-alerts')}.`);
  must(demo.mails() === before + 1, `one alert was due, ${demo.mails() - before} mails arrived`);
  await run('budget-alerts');
  must(demo.mails() === before + 1, 'the second evaluation sent another mail');
  say('   One alert was mailed, with what was used; a second evaluation sent nothing.');
};

/** The alert ends with its day, without a mail; the call log is complete to a time of the next day. */
export const endAlert = async ({ mails, must, run, step }: BudgetDemo): Promise<void> => {
  const before = mails();
  step(`budget-alerts, a day later: ${await run('budget-alerts')}.`);
  must(mails() === before, 'the end of the day was mailed');
};
