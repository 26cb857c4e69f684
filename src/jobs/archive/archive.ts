import { countText, sizeText, type ProgressStep, type UnixMillis } from '../../core/index.ts';
import { z } from 'zod';
import { duration, positiveDuration } from '../../config/index.ts';
import type { ArchiveOutcome, ArchivePlan } from '../../warehouse/index.ts';
import { defineJobKind } from '../job-kind.ts';

const shape = z.strictObject({
  settle: duration
    .prefault('7d')
    .describe('How long after its end a month is archived, so that late rows are included.'),
  retain: positiveDuration
    .optional()
    .describe(
      'Maximum age of rows in the table. A month is removed once all of it is older, archived and verified. If omitted, nothing is removed.',
    ),
});

type Settings = z.output<typeof shape>;

const policyOf = ({ settle, retain }: Settings) => ({
  settle,
  retain,
});

const summaryOf = ({ written, rows, bytes, left, kept }: ArchiveOutcome): string => {
  const parts = [
    written === 0
      ? undefined
      : `${countText(written, 'month')} archived, ${countText(rows, 'row')}, ${sizeText(bytes)}`,
    left === 0 ? undefined : `${countText(left, 'month')} left the table`,
  ].filter((part) => part !== undefined);
  return parts.length === 0
    ? `nothing to archive; ${countText(kept, 'month')} in the archive alone, as written`
    : parts.join('; ');
};

/** Progress when a month begins; the time for a month depends on its rows. */
const progressOf = (
  index: number,
  plan: ArchivePlan['months'],
  bytes: number,
  millis: number,
): ProgressStep => {
  const rowsOf = (months: ArchivePlan['months']): number => months.reduce((sum, { rows }) => sum + rows, 0);
  const [done, left] = [rowsOf(plan.slice(0, index)), rowsOf(plan.slice(index))];
  const rate = done === 0 || millis <= 0 ? undefined : done / millis;
  return {
    step: 'archiving',
    done: index,
    total: plan.length,
    rows: done,
    bytes,
    ...(rate === undefined
      ? {}
      : { rowsPerSecond: Math.round(rate * 1000), millisLeft: Math.round(left / rate) }),
    detail: plan[index]?.name ?? '',
  };
};

const planLines = ({ months, kept, damaged }: ArchivePlan): readonly string[] => [
  ...months.map(({ name, rows, write, leave }) => {
    if (!write)
      return `take ${name} out of the table, ${countText(rows, 'row')}, when its file is verified again`;
    const then = leave ? ', verify it and take them out of the table' : ' and verify it';
    return `archive ${name}, ${countText(rows, 'row')}${then}`;
  }),
  ...(months.length === 0 ? ['nothing to archive'] : []),
  ...(kept.length > damaged.length
    ? [`${countText(kept.length - damaged.length, 'month')} in the archive alone, as written`]
    : []),
  ...damaged.map(({ month, damage, file }) => `damaged: the archive for ${month} ${damage}: ${file}`),
];

/**
 * Archives months of the call log as Parquet files (`account=…/month=YYYY-MM/`), and deletes those older than `retain` from the
 * table once their file is verified by count, sum and checksum. Each run reads every file.
 */
export const archiveKind = defineJobKind({
  kind: 'archive',
  onlyForbid: true,
  description:
    'Archives closed months of the call log as Parquet files, and removes old months from the table.',
  shape,
  run: async (settings, { account, warehouse, clock, progress, log, signal }) => {
    let began: UnixMillis | undefined;
    progress({ step: 'reading the archive' });
    const outcome = await warehouse.archive.run({
      ...policyOf(settings),
      account: account.name,
      onMonth: (index, plan, bytes) => {
        began ??= clock.now();
        const state = progressOf(index, plan, bytes, clock.now() - began);
        progress(state);
        log.info('archiving', {
          month: state.detail,
          months: `${index} of ${plan.length}`,
          rowsSoFar: state.rows,
          bytesSoFar: state.bytes,
          rowsPerSecond: state.rowsPerSecond,
          secondsLeft: state.millisLeft === undefined ? undefined : Math.ceil(state.millisLeft / 1000),
        });
      },
      onStep: (step, month) => log.debug('archive', { step, month }),
      signal,
    });
    return { summary: summaryOf(outcome), figures: { ...outcome } };
  },
  plan: async (settings, { account, warehouse, clock }) =>
    planLines(await warehouse.archive.plan(account.name, policyOf(settings), clock.now())),
});
