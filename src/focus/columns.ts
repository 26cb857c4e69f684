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
import { isCorrection, type FocusCharge } from './charges.ts';

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
  /** The range of a local day. */
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
  readonly cell: (charge: FocusCharge, given: FocusExport) => FocusCell;
};

/** `2026-10-31T23:00:00Z` */
export const focusTime = (moment: UnixSeconds): string =>
  `${new Date(moment * 1000).toISOString().slice(0, 19)}Z`;

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
  (cell: FocusColumn['cell']): FocusColumn['cell'] =>
  (charge, given) =>
    hasSku(charge) ? cell(charge, given) : null;

const tagsOf = ({ team, tags }: FocusCharge): FocusCell => {
  const given = Object.entries({ team, ...tags }).filter(([, value]) => value !== null);
  return given.length === 0 ? null : JSON.stringify(Object.fromEntries(given));
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
  (
    name: string,
    cell: FocusColumn['cell'],
    versions: readonly FocusVersion[] = focusVersions,
  ): FocusColumn => ({ name, type, versions, cell });

const column = columnOf('text');
const moment = columnOf('moment');
const decimal = columnOf('decimal');

/**
 * The columns of the data set CostAndUsage, in alphabetical order, then those of Tollkeeper. The four costs are equal: a gateway states no
 * discounts and no list prices. Source: FOCUS 1.2 and 1.4.
 */
const focusColumns: readonly FocusColumn[] = [
  decimal('BilledCost', amountOf),
  column('BillingAccountId', (_, { names }) => names.accountId),
  column('BillingAccountName', (_, { names }) => names.accountName),
  column('BillingCurrency', (_, { currency }) => currency),
  moment('BillingPeriodEnd', (_, { period }) => focusTime(period.end)),
  moment('BillingPeriodStart', (_, { period }) => focusTime(period.start)),
  column('ChargeCategory', ({ kind }) => (kind === 'difference' ? 'Adjustment' : 'Usage')),
  column('ChargeClass', (charge) => (isCorrection(charge) ? 'Correction' : null)),
  column('ChargeDescription', describe),
  column('ChargeFrequency', () => 'Usage-Based'),
  moment('ChargePeriodEnd', ({ day }, { dayOf }) => focusTime(dayOf(day).end)),
  moment('ChargePeriodStart', ({ day }, { dayOf }) => focusTime(dayOf(day).start)),
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
  column('HostProviderName', (_, { names }) => names.provider, ['1.4']),
  column('InvoiceIssuerName', (_, { names }) => names.issuer),
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
  column('ProviderName', (_, { names }) => names.issuer, ['1.2']),
  column('PublisherName', (_, { names }) => names.provider, ['1.2']),
  column('ServiceCategory', () => 'AI and Machine Learning'),
  column('ServiceName', (_, { names }) => names.service),
  column('ServiceProviderName', (_, { names }) => names.provider, ['1.4']),
  column('ServiceSubcategory', () => 'Generative AI'),
  column('SkuId', ofSku(modelOf)),
  column(
    'SkuMeter',
    ofSku(({ class: name }) => (name === undefined ? 'charge' : labelOf(name))),
  ),
  column('SkuPriceDetails', () => null),
  column(
    'SkuPriceId',
    ofSku((charge) => `${modelOf(charge)}/${charge.class ?? 'charge'}`),
  ),
  column('Tags', tagsOf),
  column('x_CacheAction', ({ class: name }) => cacheActionOf(name)),
  moment('x_CompleteThrough', (_, { reached }) => focusTime(reached)),
  column('x_Reconciliation', (_, { verdict }) => verdict),
  column('x_Service', ({ service }) => (service === '' ? null : service)),
  column('x_TokenDirection', ({ class: name }) => directionOf(name)),
];

export const columnsOf = (version: FocusVersion): readonly FocusColumn[] =>
  focusColumns.filter(({ versions }) => versions.includes(version));
