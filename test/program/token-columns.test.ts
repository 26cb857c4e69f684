import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTown, type Town } from '../app/support/daemon.ts';

const oneDay = 86_400;
const days = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'] as const;
const excludes =
  '$&, gateway: { token_convention: { "*": excludes_cache }, output_convention: { "*": includes_reasoning } }';

/** Input and cached tokens of each day, as the gateway holds them. */
const truthOf = ({ sandbox }: Town) =>
  days.map((day) => {
    const start = Date.parse(day) / 1000;
    const calls = sandbox.truth.rows(start, start + oneDay).filter(({ kind }) => kind === 'consumption');
    const sum = (of: (call: (typeof calls)[number]) => number) =>
      calls.reduce((total, call) => total + of(call), 0);
    return {
      day,
      input: sum((call) => call.text + call.cached + call.cacheWrite + call.audioInput + call.imageInput),
      cached: sum((call) => call.cached),
    };
  });

/** What the table of days shows. */
const shownOf = async ({ folder }: Town) => {
  const text = await readFile(join(folder.path, 'out/spend-summary-days.csv'), 'utf8');
  const [, ...rows] = text.trim().split('\n');
  return rows
    .map((row) => row.split(','))
    .map(([day = '', , , input, cached, , , split]) => ({
      day,
      input: Number(input),
      cached: cached === '' ? undefined : Number(cached),
      split,
    }))
    .toReversed();
};

it.each([
  ['appears', [false, false, false, true]],
  ['disappears', [true, true, false, false]],
  ['absent', [false, false, false, false]],
] as const)(
  'each token count of a report is true or marked where the column of cached tokens %s',
  async (cached_column, expected) => {
    await using town = await openTown('2026-11-20T09:30:00Z', {
      variants: { cached_column, late_rows: 'absent', prompt_tokens: 'excludes-cached' },
    });
    const config = join(town.folder.path, 'config/tollkeeper.yaml');
    const text = await readFile(config, 'utf8');
    await town.folder.write(
      'config/tollkeeper.yaml',
      text.replace('admin_key: "${GATEWAY_ADMIN_KEY}"', excludes),
    );
    await town.jobs('pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-11-18, revisit: [] }');
    expect((await town.run('run', 'pull-logs')).code).toBe(0);
    town.clock.advance(2 * oneDay * 1000);
    expect((await town.run('run', 'pull-logs')).code).toBe(0);
    const period = `${days[0]}..2026-11-22`;
    const built = await town.run('report', 'spend-summary', '--period', period, '--attach', 'csv');
    expect(built.code).toBe(0);
    const truth = truthOf(town);
    const shown = await shownOf(town);
    expect(shown.map(({ day }) => day)).toEqual(days);
    // Of the day on which the column changes, some calls have it.
    const known = shown.map(({ split }) => split === 'known');
    expect(known).toEqual(expected);
    for (const [at, { input, cached }] of shown.entries()) {
      const real = truth[at] ?? { input: 0, cached: 0 };
      if (known[at] === true) expect({ input, cached }).toEqual({ input: real.input, cached: real.cached });
      else expect(input).toBeLessThanOrEqual(real.input);
    }
    const mail = (await readFile(join(town.folder.path, 'out/spend-summary.txt'), 'utf8')).replaceAll(
      /\s+/g,
      ' ',
    );
    expect(mail).toContain('is a lower bound');
    expect(mail).toContain('DAYS WITHOUT ALL TOKEN COUNTS');
  },
);
