import {
  focusVersions,
  pricedTokens,
  type FocusVersion,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../core/index.ts';
import type { TokenClass } from '../warehouse/index.ts';
import { isCorrection, type CostOwner, type FocusCharge } from './charges.ts';

/** Names that the gateway does not give. */
export type FocusNames = {
  /** Who sends the invoice. */
  readonly issuer: string;
  /** Whose service it is. */
  readonly provider: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly service: string;
};

/** What all charges of an export have in common. */
export type FocusExport = {
  readonly names: FocusNames;
  readonly currency: string;
  /** The month, in its zone. */
  readonly period: Interval<UnixSeconds>;
  /** The range of a local day; the same object for the same day. */
  readonly dayOf: (day: string) => Interval<UnixSeconds>;
  /** What the comparison with the gateway says. */
  readonly verdict: string;
  /** Where the call log ends. */
  readonly reached: UnixSeconds;
  readonly closedAt: UnixMillis;
};

/** An exact decimal, a text, or nothing. */
export type FocusCell = string | null;

/** A decimal has up to 12 decimals. */
export type FocusType = 'text' | 'moment' | 'decimal';

type FocusColumn = {
  readonly name: string;
  readonly type: FocusType;
  readonly versions: readonly FocusVersion[];
} & (
  | { readonly cell: (charge: FocusCharge, given: FocusExport) => FocusCell }
  /** The same for all charges of an export. */
  | { readonly cellOfAll: (given: FocusExport) => FocusCell }
);

type Cell = Extract<FocusColumn, { cell: unknown }>['cell'];

/** `2026-10-31T23:00:00Z` */
export const focusTime = (moment: UnixSeconds): string =>
  `${new Date(moment * 1000).toISOString().slice(0, 19)}Z`;

type Times = { readonly start: string; readonly end: string };

/** Of a day, which is the same object in all its charges. */
const knownTimes = new WeakMap<Interval<UnixSeconds>, Times>();

const timesOf = (range: Interval<UnixSeconds>): Times => {
  const known = knownTimes.get(range);
  if (known !== undefined) return known;
  const times = { start: focusTime(range.start), end: focusTime(range.end) };
  knownTimes.set(range, times);
  return times;
};

/** A key of an SKU is never empty. */
const modelOf = ({ model }: FocusCharge): string => (model === '' ? 'unnamed' : model);

const labels: ReadonlyMap<string, string> = new Map(
  pricedTokens.map((counted) => [counted.class, counted.label]),
);

const labelOf = (name: TokenClass): string => labels.get(name) ?? name.replaceAll('_', ' ');

/** What splitting left of a charge has no SKU. */
const hasSku = ({ kind }: FocusCharge): boolean => kind !== 'difference';

const describe = (charge: FocusCharge): string => {
  const model = modelOf(charge);
  switch (charge.kind) {
    case 'tokens':
      return `${model}: ${charge.class === undefined ? 'tokens' : `${labelOf(charge.class)} tokens`}`;
    case 'calls':
      return `${model}: calls, whose charge is not divided among tokens`;
    case 'refund':
      return `${model}: refunds`;
    case 'difference':
      return `${model}: rounding of prices and calls`;
    case 'reversal':
      return `${model}: ${charge.day} as booked before`;
    case 're-entry':
      return `${model}: ${charge.day} as of the call log now`;
    default:
      return charge.kind satisfies never;
  }
};

const amountOf = ({ cost }: FocusCharge): Money => cost;

/** A cell that is empty for a charge without an SKU. */
const ofSku =
  (cell: Cell): Cell =>
  (charge, given) =>
    hasSku(charge) ? cell(charge, given) : null;

/** Of an owner, who is the same object in all charges: there are far fewer owners than charges. */
const ownTags = new WeakMap<CostOwner, FocusCell>();

const tagsOf = ({ owner }: FocusCharge): FocusCell => {
  const known = ownTags.get(owner);
  if (known !== undefined) return known;
  const { team, tags } = owner;
  const given = Object.entries({ team, ...tags }).filter(([, value]) => value !== null);
  const text = given.length === 0 ? null : JSON.stringify(Object.fromEntries(given));
  ownTags.set(owner, text);
  return text;
};

const cacheActionOf = (name: TokenClass | undefined): FocusCell => {
  if (name === 'input_cache_read_tokens') return 'read';
  return name === 'input_cache_write_tokens' ? 'write' : null;
};

const directionOf = (name: TokenClass | undefined): FocusCell => {
  if (name === undefined) return null;
  return name.startsWith('input') ? 'input' : 'output';
};

const columnOf =
  (type: FocusType) =>
  (name: string, cell: Cell): FocusColumn => ({ name, type, versions: focusVersions, cell });

const column = columnOf('text');
const moment = columnOf('moment');
const decimal = columnOf('decimal');

const sameOf =
  (type: FocusType) =>
  (
    name: string,
    cellOfAll: (given: FocusExport) => FocusCell,
    versions: readonly FocusVersion[] = focusVersions,
  ): FocusColumn => ({ name, type, versions, cellOfAll });

const same = sameOf('text');
const sameMoment = sameOf('moment');

/**
 * The columns of the data set CostAndUsage, in alphabetical order, then those of Tollkeeper. The four costs are equal: a gateway states no
 * discounts and no list prices. Source: FOCUS 1.2 and 1.4.
 */
const focusColumns: readonly FocusColumn[] = [
  decimal('BilledCost', amountOf),
  same('BillingAccountId', ({ names }) => names.accountId),
  same('BillingAccountName', ({ names }) => names.accountName),
  same('BillingCurrency', ({ currency }) => currency),
  sameMoment('BillingPeriodEnd', ({ period }) => focusTime(period.end)),
  sameMoment('BillingPeriodStart', ({ period }) => focusTime(period.start)),
  column('ChargeCategory', ({ kind }) => (kind === 'difference' ? 'Adjustment' : 'Usage')),
  column('ChargeClass', (charge) => (isCorrection(charge) ? 'Correction' : null)),
  column('ChargeDescription', describe),
  same('ChargeFrequency', () => 'Usage-Based'),
  moment('ChargePeriodEnd', ({ day }, { dayOf }) => timesOf(dayOf(day)).end),
  moment('ChargePeriodStart', ({ day }, { dayOf }) => timesOf(dayOf(day)).start),
  decimal(
    'ConsumedQuantity',
    ofSku(({ tokens, calls }) => String(tokens ?? calls)),
  ),
  column(
    'ConsumedUnit',
    ofSku(({ tokens }) => (tokens === undefined ? 'Calls' : 'Tokens')),
  ),
  decimal('ContractedCost', amountOf),
  decimal('EffectiveCost', amountOf),
  same('HostProviderName', ({ names }) => names.provider, ['1.4']),
  same('InvoiceIssuerName', ({ names }) => names.issuer),
  decimal('ListCost', amountOf),
  column(
    'PricingCategory',
    ofSku(() => 'Standard'),
  ),
  decimal(
    'PricingQuantity',
    ofSku(({ tokens, cost }) => String(tokens ?? cost)),
  ),
  column(
    'PricingUnit',
    ofSku(({ tokens }, { currency }) => (tokens === undefined ? currency : 'Tokens')),
  ),
  // In 1.2, who sells: rows of a provider that does not issue the invoice must have a cost of 0.
  same('ProviderName', ({ names }) => names.issuer, ['1.2']),
  same('PublisherName', ({ names }) => names.provider, ['1.2']),
  same('ServiceCategory', () => 'AI and Machine Learning'),
  same('ServiceName', ({ names }) => names.service),
  same('ServiceProviderName', ({ names }) => names.provider, ['1.4']),
  same('ServiceSubcategory', () => 'Generative AI'),
  column('SkuId', ofSku(modelOf)),
  column(
    'SkuMeter',
    ofSku(({ class: name }) => (name === undefined ? 'charge' : labelOf(name))),
  ),
  same('SkuPriceDetails', () => null),
  column(
    'SkuPriceId',
    ofSku((charge) => `${modelOf(charge)}/${charge.class ?? 'charge'}`),
  ),
  column('Tags', tagsOf),
  column('x_CacheAction', ({ class: name }) => cacheActionOf(name)),
  sameMoment('x_CompleteThrough', ({ reached }) => focusTime(reached)),
  same('x_Reconciliation', ({ verdict }) => verdict),
  column('x_Service', ({ service }) => (service === '' ? null : service)),
  column('x_TokenDirection', ({ class: name }) => directionOf(name)),
];

export const columnsOf = (version: FocusVersion): readonly FocusColumn[] =>
  focusColumns.filter(({ versions }) => versions.includes(version));
