import {
  addDays,
  dateAt,
  groupBy,
  unixSeconds,
  wholeDaysIn,
  type Interval,
  type LocalDate,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  describeScope,
  firstOfRecord,
  firstToRead,
  isWithout,
  keepDays,
  keptForecast,
  leastDays,
  periodAt,
  recordOf,
  type Budget,
  type BudgetScope,
  type KeptForecast,
} from '../../monitoring/index.ts';
import type { ForecastSubject, Warehouse } from '../../warehouse/index.ts';
import type { JobContext } from '../job-kind.ts';
import { readDays } from './read-days.ts';

type Context = Pick<
  JobContext,
  'account' | 'warehouse' | 'costOwners' | 'signal' | 'zone' | 'progress' | 'clock'
>;

/** A part of an account whose months are forecast. */
type Asked = ForecastSubject & { readonly of: BudgetScope };

export const subjectOf = ({
  scope,
  zone,
  anchorDay,
}: Pick<Budget, 'scope' | 'zone' | 'anchorDay'>): ForecastSubject => ({
  scope: describeScope(scope),
  zone,
  anchorDay,
});

const keyOf = ({ scope, zone, anchorDay }: ForecastSubject): string => `${scope}\n${zone}\n${anchorDay}`;

/** What is known of the months of an account, by subject. What another version has stored in a form of its own is left out. */
export const readKept = async ({
  account,
  warehouse,
}: {
  readonly account: { readonly name: string };
  readonly warehouse: Pick<Warehouse, 'forecasts'>;
}): Promise<(subject: ForecastSubject) => KeptForecast | undefined> => {
  const kept = new Map<string, KeptForecast>();
  for (const { content, ...subject } of await warehouse.forecasts.kept(account.name)) {
    const read = keptForecast.safeParse(JSON.parse(content));
    if (read.success) kept.set(keyOf(subject), read.data);
  }
  return (subject) => kept.get(keyOf(subject));
};

/** The account itself, which the status page shows, and each budget of a month. */
const askedFor = (budgets: readonly Budget[], zone: string): readonly Asked[] => {
  const account = { scope: { kind: 'account' }, zone, anchorDay: 1 } as const;
  const months = [account, ...budgets.filter(({ period }) => period === 'month')];
  const asked = new Map(
    months.map((one): [string, Asked] => {
      const subject = subjectOf(one);
      return [keyOf(subject), { ...subject, of: one.scope }];
    }),
  );
  return [...asked.values()];
};

/** The whole days that the call log covers, both included; undefined for fewer than a model needs. */
const daysOf = (covered: Interval<UnixSeconds>, zone: string) => {
  const days = wholeDaysIn(covered, zone);
  return addDays(days.first, leastDays - 1) > days.last ? undefined : days;
};

const later = (one: LocalDate, other: LocalDate): LocalDate => (one > other ? one : other);
const earlier = (one: LocalDate, other: LocalDate): LocalDate => (one < other ? one : other);

/** The first day of the month that the log ends in. */
const monthOf = ({ zone, anchorDay }: ForecastSubject, covered: Interval<UnixSeconds>): LocalDate =>
  dateAt(periodAt({ period: 'month', anchorDay, zone }, unixSeconds(covered.end - 1)).start, zone);

const store = async (
  kept: readonly (readonly [Asked, KeptForecast])[],
  { account, warehouse, clock }: Context,
): Promise<void> => {
  if (kept.length === 0) return;
  const contents = kept.map(([{ of: _of, ...subject }, content]) => ({
    ...subject,
    content: JSON.stringify(content),
  }));
  await warehouse.forecasts.keep(account.name, contents, clock.now());
};

/** Adds the days that have ended since to what is kept, and fits the models to them; once a day, before budgets are evaluated. */
export const updateForecasts = async (budgets: readonly Budget[], context: Context): Promise<void> => {
  const { account, warehouse, zone } = context;
  const covered = await warehouse.logs.watermark(account.name);
  if (covered === undefined) return;
  const keptOf = await readKept(context);
  const expected = await warehouse.alerts.expected(account.name);
  const due = askedFor(budgets, zone).flatMap((asked) => {
    const kept = keptOf(asked);
    const days = daysOf(covered, asked.zone);
    return kept === undefined || days === undefined || addDays(kept.first, kept.spend.length) > days.last
      ? []
      : [{ asked, kept, last: days.last, from: firstToRead(kept) }];
  });
  for (const [, same] of groupBy(due, ({ asked }) => asked.zone)) {
    const [{ last, asked }] = same;
    const first = same.map(({ from }) => from).reduce(earlier);
    const scopes = same.map((one) => one.asked.of);
    const read = await readDays(scopes, { first, last, zone: asked.zone }, context);
    if (read === undefined) continue;
    await store(
      same.map((one) => {
        const days = read.get(one.asked.of) ?? [];
        const own = days.filter(({ date }) => date >= one.from);
        return [one.asked, keepDays(one.kept, own, expected)] as const;
      }),
      context,
    );
  }
};

/**
 * Judges, once a month and subject, how good forecasts of past months were, from two years of the log as it is now. It takes a tenth of a
 * second a subject, so it runs when nothing waits for it.
 */
export const recordForecasts = async (budgets: readonly Budget[], context: Context): Promise<void> => {
  const { account, warehouse, zone, signal, progress } = context;
  const covered = await warehouse.logs.watermark(account.name);
  if (covered === undefined) return;
  const keptOf = await readKept(context);
  const expected = await warehouse.alerts.expected(account.name);
  const all = askedFor(budgets, zone);
  const due = all.flatMap((asked) => {
    const month = monthOf(asked, covered);
    const days = daysOf(covered, asked.zone);
    const kept = keptOf(asked);
    const isDone = kept?.record?.month === month && isWithout(kept, expected);
    return days === undefined || isDone ? [] : [{ asked, month, days }];
  });
  let done = 0;
  for (const [, same] of groupBy(due, ({ asked }) => asked.zone)) {
    const [{ asked, days }] = same;
    const needed = same.map(({ month }) => firstOfRecord(month)).reduce(earlier);
    const range = { first: later(days.first, needed), last: days.last, zone: asked.zone };
    const read = await readDays(
      same.map((one) => one.asked.of),
      range,
      context,
    );
    if (read === undefined) continue;
    for (const one of same) {
      signal.throwIfAborted();
      progress({ step: 'judging forecasts', done, total: due.length });
      const spend = read.get(one.asked.of) ?? [];
      const issued = await warehouse.forecasts.issued(account.name, one.asked);
      const record = recordOf(
        spend,
        { month: one.month, anchorDay: one.asked.anchorDay },
        issued.map(({ month, day, amount }) => ({ month, day, forecast: Number(amount) })),
        expected,
      );
      await store([[one.asked, { ...keepDays(undefined, spend, expected), record }]], context);
      done += 1;
    }
  }
  if (due.length === 0) return;
  const oldest = due.map(({ month }) => firstOfRecord(month)).reduce(earlier);
  await warehouse.forecasts.trim(account.name, all, oldest);
};
