import { groupBy, subtractMoney, sum, sumMoney, zero, type Money } from '../core/index.ts';
import {
  sumTokens,
  type ClassPrices,
  type ClosedCorrection,
  type ClosedRow,
  type Tags,
  type TokenClass,
} from '../warehouse/index.ts';
import { splitCharge, type Consumption } from './split-charge.ts';

/** Who pays for the calls of a key. */
export type CostOwner = { readonly team: string | null; readonly tags: Tags };

/**
 * What a charge is for: the tokens of a class; calls whose charge cannot be split; a refund; what splitting left of a charge; or a
 * correction of a closed month, whose former amount is reversed and whose amount now is entered again.
 */
export type ChargeKind = 'tokens' | 'calls' | 'refund' | 'difference' | 'reversal' | 're-entry';

/** A row of an export. */
export type FocusCharge = {
  readonly owner: CostOwner;
  readonly kind: ChargeKind;
  /** `2026-10-31`, in the zone of its month. */
  readonly day: string;
  readonly model: string;
  readonly service: string;
  readonly cost: Money;
  /** 0 for a refund. */
  readonly calls: number;
  /** Of charges for tokens. */
  readonly class?: TokenClass;
  readonly tokens?: bigint;
};

export const isCorrection = ({ kind }: FocusCharge): boolean => kind === 'reversal' || kind === 're-entry';

export type ChargeRules = {
  /** The same object for equal owners. */
  readonly ownerOf: (key: string, service: string) => CostOwner;
  /** Of a million tokens, in the currency of the charges. */
  readonly pricesOf: (day: string, model: string) => ClassPrices | undefined;
  /** The last unit of the amounts in the log. */
  readonly unit: Money;
};

type Named = Pick<ClosedRow, 'day' | 'model' | 'key' | 'service' | 'kind'>;
type Group = Pick<FocusCharge, 'day' | 'model' | 'service' | 'owner'>;

/** In an order of its own: databases sort texts by different rules. */
const inOrder = <Value>(groups: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...groups].sort(([left], [right]) => (left < right ? -1 : 1));

/** Rows by day, model, service and cost owner, in their order. Keys of a service that have the same cost owner are one group. */
const groupsOf = <Row extends Named>(
  rows: readonly Row[],
  ownerOf: ChargeRules['ownerOf'],
): readonly { readonly group: Group; readonly rows: readonly Row[] }[] =>
  inOrder(groupBy(rows, (row) => row.day)).flatMap(([day, ofDay]) =>
    inOrder(groupBy(ofDay, (row) => row.model)).flatMap(([model, ofModel]) =>
      inOrder(groupBy(ofModel, (row) => row.service)).flatMap(([service, ofService]) => {
        const byOwner = [...groupBy(ofService, (row) => ownerOf(row.key, service))];
        const sorted =
          byOwner.length === 1
            ? byOwner
            : inOrder(new Map(byOwner.map((one) => [JSON.stringify(one[0]), one]))).map(([, one]) => one);
        return sorted.map(([owner, own]) => ({ group: { day, model, service, owner }, rows: own }));
      }),
    ),
  );

const sumOf = (rows: readonly ClosedRow[]): Consumption => ({
  calls: sum(rows.map(({ calls }) => calls)),
  charge: sumMoney(rows.map(({ charge }) => charge)),
  unstatedCalls: sum(rows.map(({ unstatedCalls }) => unstatedCalls)),
  tokens: sumTokens(rows),
});

const consumed = (
  group: Group,
  consumption: Consumption,
  { pricesOf, unit }: ChargeRules,
): readonly FocusCharge[] => {
  const split = splitCharge(consumption, pricesOf(group.day, group.model), unit);
  if (!split.isSplit)
    return [{ ...group, kind: 'calls', cost: consumption.charge, calls: consumption.calls }];
  const parts = split.parts.map((part): FocusCharge => ({
    ...group,
    kind: 'tokens',
    calls: consumption.calls,
    ...part,
  }));
  return split.difference === zero
    ? parts
    : [...parts, { ...group, kind: 'difference', calls: 0, cost: split.difference }];
};

const corrected = (group: Group, rows: readonly ClosedCorrection[]): readonly FocusCharge[] => {
  const consumption = rows.filter(({ kind }) => kind === 'consumption');
  const sideOf = (side: 'old' | 'new') => ({
    cost: sumMoney(rows.map((row) => row[side].charge)),
    calls: sum(consumption.map((row) => row[side].calls)),
  });
  const [old, now] = [sideOf('old'), sideOf('new')];
  const entries: readonly FocusCharge[] = [
    { ...group, kind: 'reversal', cost: subtractMoney(zero, old.cost), calls: -old.calls },
    { ...group, kind: 're-entry', ...now },
  ];
  return entries.filter(({ cost, calls }) => cost !== zero || calls !== 0);
};

/**
 * The charges of a month and the corrections that are booked in it. Those of the month add up to its rows exactly, and the corrections
 * to what changed. Pure.
 */
export const chargesOf = (
  rows: readonly ClosedRow[],
  corrections: readonly ClosedCorrection[],
  rules: ChargeRules,
): readonly FocusCharge[] => {
  const ofKind = (kind: ClosedRow['kind']) =>
    groupsOf(
      rows.filter((row) => row.kind === kind),
      rules.ownerOf,
    );
  return [
    ...ofKind('consumption').flatMap(({ group, rows: own }) => consumed(group, sumOf(own), rules)),
    ...ofKind('refund').map(({ group, rows: own }): FocusCharge => ({
      ...group,
      kind: 'refund',
      cost: sumMoney(own.map(({ charge }) => charge)),
      calls: 0,
    })),
    ...groupsOf(corrections, rules.ownerOf).flatMap(({ group, rows: own }) => corrected(group, own)),
  ];
};
