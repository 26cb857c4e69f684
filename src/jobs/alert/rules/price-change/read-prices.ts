import {
  daySeconds,
  groupBy,
  interval,
  money,
  moneyOfDouble,
  unixSeconds,
  zero,
  type Money,
  type PricedClass,
  type UnixSeconds,
} from '../../../../core/index.ts';
import {
  changedPrices,
  explains,
  firstDeviating,
  wrongPrices,
  type PriceFinding,
} from '../../../../monitoring/index.ts';
import { configuredFor, type LogPrices, type PricedQuarter } from '../../../../warehouse/index.ts';
import { noCostOwners } from '../../../cost-owners.ts';
import type { Before, RuleContext } from '../../rule.ts';
import type { PriceStatus, StoredFinding } from './stored.ts';

export type ReadModel = { readonly model: string; readonly status: PriceStatus };

/** Days of calls that prices are fitted to. */
const fittedDays = 7;

/** Days after which a change is the usual price. */
const newsDays = 7;

const perMillion = (price: number): Money => moneyOfDouble(price * 1e6, 9) ?? money('0');

const monthSeconds = 30 * daySeconds;

/** The prices of one token by class that the configuration has for a model. */
const listedFor = (
  model: string,
  currency: string,
  { costOwners = noCostOwners }: RuleContext['job'],
): Readonly<Partial<Record<PricedClass, number>>> => {
  const prices = (costOwners.prices ?? []).filter((one) => one.currency === currency);
  return Object.fromEntries(
    [...(configuredFor(model, prices) ?? [])].map(([name, price]) => [name, Number(price) / 1e6]),
  );
};

const storedOf = (
  { reason, classes }: PriceFinding,
  key: string,
  more: Pick<StoredFinding, 'first' | 'month'> = {},
): StoredFinding => ({
  reason,
  ...(key === '' ? {} : { key }),
  classes: classes.map((one) => ({
    class: one.class,
    before: perMillion(one.before),
    after: perMillion(one.after),
  })),
  ...more,
});

const copyOf = (prices: LogPrices): PriceStatus['fits'][number] => ({
  ...prices,
  prices: { ...prices.prices },
  shares: { ...prices.shares },
});

type Fitted = { readonly fits: readonly LogPrices[]; readonly unit: Money; readonly currency: string };

/** Prices that explain the calls of a range one by one: by model, else by model and key. Undefined while the unit of the amounts is not proven. */
const fitExactly = async (
  range: { readonly start: UnixSeconds; readonly end: UnixSeconds },
  models: readonly string[] | undefined,
  { job: { account, warehouse, signal } }: Pick<RuleContext, 'job'>,
): Promise<Fitted | undefined> => {
  const asked = { account: account.name, range, ...(models === undefined ? {} : { models }) };
  const lastDay = interval(unixSeconds(Math.max(range.start, range.end - daySeconds)), range.end);
  const exact = async (fits: readonly LogPrices[], unit: Money): Promise<readonly LogPrices[]> => {
    const quarters = groupBy(
      await warehouse.prices.compare({ account: account.name, range: lastDay, prices: fits, unit }, signal),
      (quarter) => quarter.of,
    );
    return fits.filter((_, at) => explains(quarters.get(at) ?? []));
  };
  const { fits, isProven, currency = '' } = await warehouse.prices.fit({ ...asked, by: 'model' }, signal);
  if (!isProven) return undefined;
  const unit = await warehouse.prices.unit(account.name, range, signal);
  const byModel = await exact(fits, unit);
  const explained = new Set(byModel.map(({ model }) => model));
  const pairs = await warehouse.prices.fit({ ...asked, by: 'pair' }, signal);
  const byKey = await exact(
    pairs.fits.filter(({ model }) => !explained.has(model)),
    unit,
  );
  return { fits: [...byModel, ...byKey], unit, currency };
};

/** What new calls of a model show, by the prices before. */
const judgeNew = async (
  { fits, unit }: Pick<PriceStatus, 'fits' | 'unit'>,
  quartersOf: (fit: LogPrices) => readonly PricedQuarter[],
  end: UnixSeconds,
  context: RuleContext,
): Promise<readonly StoredFinding[]> => {
  const { account, warehouse, signal } = context.job;
  const found: StoredFinding[] = [];
  for (const fit of fits) {
    const first = firstDeviating(quartersOf(fit));
    if (first === undefined) continue;
    const range = interval(first, end);
    const asked = {
      account: account.name,
      range,
      models: [fit.model],
      ...(fit.key === '' ? {} : { keys: [fit.key] }),
    };
    const again = await warehouse.prices.fit({ ...asked, by: fit.key === '' ? 'model' : 'pair' }, signal);
    const [now] = again.fits;
    if (now === undefined) continue;
    const changes = changedPrices(fit, now);
    if (changes.length === 0) continue;
    const since = await warehouse.prices.compare(
      { account: account.name, range, prices: [fit], unit },
      signal,
    );
    const more = since.reduce((sum, { charge, expected }) => sum + charge - expected, 0);
    const month = moneyOfDouble((more * monthSeconds) / Math.max(1, end - first), 6);
    found.push(
      // What it costs is of all changes together.
      ...changes.map((change, at) =>
        storedOf(change, fit.key, { first, ...(month === undefined || at > 0 ? {} : { month }) }),
      ),
    );
  }
  return found;
};

/** Judges the calls since the last fit by model, and fits again once a day. Undefined where the call log does not suffice. */
export const readPrices = async (
  before: Before<PriceStatus>,
  context: RuleContext,
): Promise<readonly ReadModel[] | undefined> => {
  const { job } = context;
  const { account, warehouse, signal } = job;
  const covered = await warehouse.logs.watermark(account.name);
  if (covered === undefined) return undefined;
  const { end } = covered;
  const today = unixSeconds(Math.floor(end / daySeconds) * daySeconds);
  const fittedFrom = (until: number): UnixSeconds =>
    unixSeconds(Math.max(covered.start, until - fittedDays * daySeconds));
  if (today - covered.start < daySeconds) return undefined;
  job.progress({ step: 'looking at prices' });
  let known = new Map([...before.values()].map(({ status }) => [status.fits[0]?.model ?? '', status]));
  known.delete('');
  // An account whose charges no prices explain has a status without a model, so that it is fitted once a day too.
  let fittedUntil = Math.max(0, ...[...before.values()].map(({ status }) => status.until));
  const fitted = async (until: UnixSeconds): Promise<boolean> => {
    const changed = [...known].filter(([, { since }]) => since !== undefined && since > fittedFrom(until));
    const whole = await fitExactly(interval(fittedFrom(until), until), undefined, context);
    if (whole === undefined) return false;
    const next = new Map<string, PriceStatus>();
    const add = (model: string, fits: readonly LogPrices[], { unit, currency }: Fitted): void => {
      const old = known.get(model);
      next.set(model, {
        kind: 'price',
        state: 'ok',
        currency,
        unit,
        fits: fits.map(copyOf),
        until,
        ...(old?.since === undefined ? {} : { since: old.since }),
        findings: [...(old?.findings ?? [])],
      });
    };
    for (const [model, fits] of groupBy(whole.fits, (fit) => fit.model))
      if (!changed.some(([name]) => name === model)) add(model, fits, whole);
    for (const [model, { since = 0 }] of changed) {
      // A day with two prices has no fit.
      const own = await fitExactly(interval(unixSeconds(since), until), [model], context);
      if (own !== undefined && own.fits.length > 0) add(model, own.fits, own);
    }
    known = new Map([...known, ...next]);
    fittedUntil = until;
    return true;
  };
  if (fittedUntil === 0 && !(await fitted(today))) return undefined;
  const models = [...known.entries()];
  const judged = new Map<string, PriceStatus>();
  // Most models are fitted up to the same second.
  for (const [until, same] of groupBy(models, ([, status]) => status.until)) {
    const all = same.flatMap(([, { fits }]) => fits);
    const unit = same[0][1].unit;
    const range = interval(unixSeconds(until), end);
    const quarters = groupBy(
      await warehouse.prices.compare({ account: account.name, range, prices: all, unit }, signal),
      (quarter) => quarter.of,
    );
    const quartersOf = (fit: LogPrices): readonly PricedQuarter[] => quarters.get(all.indexOf(fit)) ?? [];
    for (const [model, status] of same) {
      const found = await judgeNew(status, quartersOf, end, context);
      const news = found.length > 0 ? found : status.findings.filter(({ first }) => first !== undefined);
      const recent = news.filter(({ first = 0 }) => first > end - newsDays * daySeconds);
      const [fit] = status.fits;
      const wrong =
        fit === undefined
          ? []
          : wrongPrices(fit, listedFor(model, status.currency, job)).map((one) => storedOf(one, fit.key));
      const since = found.map(({ first = 0 }) => first);
      judged.set(model, {
        ...status,
        state: recent.length > 0 ? 'changed' : wrong.length > 0 ? 'wrong' : 'ok',
        ...(since.length === 0 ? {} : { since: Math.max(...since) }),
        findings: [...recent, ...wrong],
      });
    }
  }
  known = judged;
  // After the judgement: new prices must not be part of what they are judged by.
  if (fittedUntil < today) await fitted(today);
  const none: PriceStatus = {
    kind: 'price',
    state: 'ok',
    currency: '',
    unit: zero,
    fits: [],
    until: fittedUntil,
    findings: [],
  };
  return [['', none] as const, ...known].map(([model, status]) => ({ model, status }));
};
