import {
  absoluteMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../core/index.ts';
import type { ComparisonSource, SourceUnit } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { currencyOfLog, otherCurrencyOf, type CurrencyName, type OtherLogs } from './other-currency.ts';
import { asBalance, figureFor, figuresOf, otherFigure, type LogSums, type OtherCurrency } from './figures.ts';
import {
  conventionOf,
  decimalsOf,
  matchFigures,
  withRefunds,
  type KnownUnit,
  type Match,
  type Reading,
} from './match-figures.ts';
import { provenRate } from './proven-rate.ts';

/** The dependencies of a reconciliation. */
export type ReconcileDeps = {
  readonly context: ReconcileContext;
  /** The source of the log in the other currency; omitted when it must not be requested. */
  readonly others: OtherLogs | undefined;
  /** Requests the log in the other currency even if the source's unit is known, since it may have changed. */
  readonly thorough: boolean;
};

export type TotalRequest = {
  readonly source: ComparisonSource;
  readonly range: Interval<UnixSeconds>;
  readonly sums: LogSums;
  readonly readings: readonly Reading[];
  /** Figures that show how many decimals the source has. */
  readonly written: readonly Money[];
  /**
   * Parts of the range, by the log and by the source: they prove a rate when the log is not available in the source's
   * currency.
   */
  readonly parts?: () => Promise<readonly SourcePart[]>;
  /** The smallest parts that are at hand without a request: those that agree show what the source does with refunds. */
  readonly cells?: () => Promise<readonly SourcePart[]>;
};

/** Sums of the log, and the source's figure for the same range, which adds up this many rounded ones. */
export type SourcePart = { readonly sums: LogSums; readonly reading: Money; readonly cells: number };

/** How much 1 of the log's currency is in the source's, by parts that agree on one rate. */
const rateOf = (parts: readonly SourcePart[], currency: CurrencyName): Money | undefined => {
  const places = placesOf(parts.map(({ reading }) => reading));
  const by = (sumOf: (sums: LogSums) => Money): Money | undefined =>
    provenRate(
      parts.map(({ sums, reading, cells }) => ({
        ours: sumOf(sums),
        theirs: reading,
        slack: multiplyMoney(money(`1e-${places}`), money(String(cells))),
      })),
      currency,
    );
  return by(({ net }) => net) ?? by(({ consumption }) => consumption);
};

/** This many figures prove how many decimals a source has. */
const enoughFigures = 5;

/** In the account's currency. */
const distinctSum = money('0.1');

const isUsed = (figure: Money): boolean => figure !== zero;

const placesOf = (written: readonly Money[]): number => Math.max(0, ...written.map(decimalsOf));

/** Sources whose rate is tried first come first. */
const sources: readonly ComparisonSource[] = [
  'statistics',
  'usage by model',
  'usage by key',
  'used_quota',
  'balance',
];

/** How much 1 of the log's currency is in the other one, as shown by any source. */
const knownRates = (units: readonly SourceUnit[], name: CurrencyName): readonly OtherCurrency[] => {
  const known = sources.flatMap((source) => units.filter((unit) => unit.source === source));
  const rates = new Set(known.flatMap(({ unit, perCurrency }) => (unit === name ? [perCurrency] : [])));
  return [...rates].map((perCurrency) => ({ name, perCurrency }));
};

const jsonOf = ({ source, range, sums, readings }: TotalRequest, match: Match): string =>
  JSON.stringify({
    source,
    from: new Date(range.start * 1000).toISOString(),
    to: new Date(range.end * 1000).toISOString(),
    log: { consumption: sums.consumption, refunds: sums.refunds, rows: sums.rows },
    readings: readings.map(({ value }) => value),
    reading: match.reading,
    ours: match.ours,
    gap: match.gap,
    unit: match.figure.unit,
    perCurrency: match.figure.perCurrency,
  });

const learn = async (
  request: TotalRequest,
  match: Match,
  known: SourceUnit | undefined,
  context: ReconcileContext,
): Promise<void> => {
  const { perCurrency, unit } = match.figure;
  const written = request.written.filter(isUsed);
  // An empty sum proves nothing, nor does a rounded one so small that it fits any unit.
  const least = multiplyMoney(distinctSum, perCurrency);
  const isDistinct = match.fit === 'exact' || compareMoney(absoluteMoney(match.ours), least) >= 0;
  if (match.fit === undefined || !isDistinct || match.ours === zero || written.length === 0) return;
  const seen = {
    unit,
    perCurrency,
    refunds:
      match.refunds === undefined || match.refunds === 'unknown'
        ? (known?.refunds ?? ('unknown' as const))
        : match.refunds,
    places: Math.max(known?.places ?? 0, placesOf(written)),
  };
  const same =
    known !== undefined &&
    Object.entries(seen).every(([name, value]) => known[name as keyof typeof seen] === value);
  if (same && known.figures >= enoughFigures) return;
  const { account, warehouse, clock } = context;
  await warehouse.comparisons.learn(account.name, {
    source: request.source,
    ...seen,
    figures: (known?.figures ?? 0) + 1,
    // The evidence stays that of the first finding.
    evidence: same ? known.evidence : jsonOf(request, match),
    learnedAt: same ? known.learnedAt : clock.now(),
  });
};

const balanced = (source: ComparisonSource, sums: LogSums): LogSums =>
  source === 'balance' ? asBalance(sums) : sums;

/** Decides by the smallest parts what the source does with refunds. */
const settleRefunds = async (match: Match, { source, cells }: TotalRequest): Promise<Match> => {
  if (match.refunds !== 'unknown' || cells === undefined) return match;
  const withRefund = (await cells()).filter(({ sums }) => sums.refunds !== zero);
  const places = placesOf(withRefund.map(({ reading }) => reading));
  const shown = conventionOf(
    withRefund.map(({ sums, reading, cells: count }) =>
      matchFigures(
        [{ value: reading, cells: Math.max(1, count), places }],
        [figureFor(match.figure, balanced(source, sums))],
      ),
    ),
  );
  return shown === undefined ? match : withRefunds(match, shown);
};

/**
 * Compares a source's readings of a range with the log, in whichever unit they are: the learned one, those of other
 * sources, or, if none fits, what the log in the other currency shows. Stores the unit found.
 */
export const matchTotal = async (request: TotalRequest, deps: ReconcileDeps): Promise<Match> => {
  const { source, range } = request;
  const { context, others, thorough } = deps;
  const { account, warehouse } = context;
  const units = await warehouse.comparisons.units(account.name);
  const known = units.find((unit) => unit.source === source);
  const places = Math.max(placesOf(request.written), known?.places ?? 0);
  const isPlacesKnown = (known?.figures ?? 0) >= enoughFigures;
  const readings = request.readings.map((reading) => ({ places, isPlacesKnown, ...reading }));
  const sums = balanced(source, request.sums);
  const { unitsPerCurrency } = account.profile;
  const amounts = await warehouse.logs.amounts(account.name);
  const currency = currencyOfLog(account, amounts);
  const name = otherCurrencyOf(currency);
  const rates = knownRates(units, name);
  const figureDeps = {
    currency,
    unitsPerCurrency,
    isCurrency: amounts?.form !== undefined,
    roundAmounts: account.profile.roundAmounts,
  };
  const matchWith = (extra: readonly OtherCurrency[], unit: KnownUnit | undefined = known): Match =>
    matchFigures(readings, figuresOf(sums, { ...figureDeps, others: [...extra, ...rates] }), unit);

  let match = matchWith([]);
  const isOpen = thorough || (known?.figures ?? 0) < enoughFigures || known?.unit === name;
  if (match.fit === undefined && isOpen && sums.rows > 0 && others !== undefined) {
    const sumsIn = async (wanted: CurrencyName): Promise<LogSums | undefined> => {
      const found = await others.of(range, wanted);
      return found === undefined ? undefined : balanced(source, found);
    };
    const other = await sumsIn(name);
    const rate =
      other !== undefined || rates.length > 0 ? undefined : rateOf((await request.parts?.()) ?? [], currency);
    if (rate !== undefined) match = matchWith([{ name, perCurrency: rate }]);
    if (other?.rows === sums.rows) match = matchWith([{ name, sums: other }]);
    else if (other !== undefined) {
      // Requesting a log that lacks calls again must not complete it: it only shows the unit of the source.
      const shows = matchFigures(readings, [otherFigure(other, { name, sums: other })]);
      const own = await sumsIn(currency);
      const perCurrency = own === undefined ? undefined : divideMoney(other.consumption, own.consumption, 12);
      if (shows.fit !== undefined && perCurrency !== undefined)
        match = matchWith([{ name, perCurrency }], { unit: name, refunds: shows.refunds ?? 'unknown' });
    }
  }
  match = await settleRefunds(match, request);
  await learn(request, match, known, context);
  return match;
};
