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
import type { FocusCharge } from './charges.ts';

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

export type FocusColumn = {
  readonly name: string;
  readonly type: 'text' | 'decimal' | 'time';
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

const isCorrection = ({ kind }: FocusCharge): boolean => kind === 'reversal' || kind === 're-entry';

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

const quantityOf = (charge: FocusCharge): FocusCell => {
  if (!hasSku(charge)) return null;
  return charge.tokens === undefined ? charge.cost : String(charge.tokens);
};

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

const column = (
  name: string,
  cell: FocusColumn['cell'],
  type: FocusColumn['type'] = 'text',
  versions: readonly FocusVersion[] = focusVersions,
): FocusColumn => ({ name, type, versions, cell });

/**
 * The columns of the data set CostAndUsage, in alphabetical order, then those of our own. The four costs are equal: a gateway tells no
 * discounts and no list prices. Source: FOCUS 1.2 and 1.4.
 */
export const focusColumns: readonly FocusColumn[] = [
  column('BilledCost', amountOf, 'decimal'),
  column('BillingAccountId', (_, { names }) => names.accountId),
  column('BillingAccountName', (_, { names }) => names.accountName),
  column('BillingCurrency', (_, { currency }) => currency),
  column('BillingPeriodEnd', (_, { period }) => focusTime(period.end), 'time'),
  column('BillingPeriodStart', (_, { period }) => focusTime(period.start), 'time'),
  column('ChargeCategory', ({ kind }) => (kind === 'difference' ? 'Adjustment' : 'Usage')),
  column('ChargeClass', (charge) => (isCorrection(charge) ? 'Correction' : null)),
  column('ChargeDescription', describe),
  column('ChargeFrequency', () => 'Usage-Based'),
  column('ChargePeriodEnd', ({ day }, { dayOf }) => focusTime(dayOf(day).end), 'time'),
  column('ChargePeriodStart', ({ day }, { dayOf }) => focusTime(dayOf(day).start), 'time'),
  column(
    'ConsumedQuantity',
    (charge) => (hasSku(charge) ? String(charge.tokens ?? charge.calls) : null),
    'decimal',
  ),
  column('ConsumedUnit', (charge) => {
    if (!hasSku(charge)) return null;
    return charge.tokens === undefined ? 'Calls' : 'Tokens';
  }),
  column('ContractedCost', amountOf, 'decimal'),
  column('EffectiveCost', amountOf, 'decimal'),
  column('HostProviderName', (_, { names }) => names.provider, 'text', ['1.4']),
  column('InvoiceIssuerName', (_, { names }) => names.issuer),
  column('ListCost', amountOf, 'decimal'),
  column('PricingCategory', (charge) => (hasSku(charge) ? 'Standard' : null)),
  column('PricingQuantity', quantityOf, 'decimal'),
  column('PricingUnit', (charge, { currency }) => {
    if (!hasSku(charge)) return null;
    return charge.tokens === undefined ? currency : 'Tokens';
  }),
  column('ProviderName', (_, { names }) => names.provider, 'text', ['1.2']),
  column('PublisherName', (_, { names }) => names.provider, 'text', ['1.2']),
  column('ServiceCategory', () => 'AI and Machine Learning'),
  column('ServiceName', (_, { names }) => names.service),
  column('ServiceProviderName', (_, { names }) => names.provider, 'text', ['1.4']),
  column('ServiceSubcategory', () => 'Generative AI'),
  column('SkuId', (charge) => (hasSku(charge) ? modelOf(charge) : null)),
  column('SkuMeter', (charge) => {
    if (!hasSku(charge)) return null;
    return charge.class === undefined ? 'charge' : labelOf(charge.class);
  }),
  column('SkuPriceDetails', () => null),
  column('SkuPriceId', (charge) =>
    hasSku(charge) ? `${modelOf(charge)}/${charge.class ?? 'charge'}` : null,
  ),
  column('Tags', tagsOf),
  column('x_CacheAction', ({ class: name }) => cacheActionOf(name)),
  column('x_CompleteThrough', (_, { reached }) => focusTime(reached), 'time'),
  column('x_Reconciliation', (_, { verdict }) => verdict),
  column('x_Service', ({ service }) => (service === '' ? null : service)),
  column('x_TokenDirection', ({ class: name }) => directionOf(name)),
];

export const columnsOf = (version: FocusVersion): readonly FocusColumn[] =>
  focusColumns.filter(({ versions }) => versions.includes(version));
