import { unknownGateway } from '../base/index.ts';
import type { GatewayProfile } from '../base/index.ts';
import type { Account } from './settings-schema.ts';

/** What is known of an account's gateway: what was learned, overridden by what the YAML says. */
export const profileOf = (account: Account, learned: GatewayProfile = unknownGateway): GatewayProfile => ({
  timestamps: account.gateway.timestamps ?? learned.timestamps,
  naiveZone: account.gateway.naive_zone ?? learned.naiveZone,
  amounts: account.gateway.amounts ?? learned.amounts,
  unitsPerCurrency: account.gateway.units_per_currency ?? learned.unitsPerCurrency,
  usageZone: account.gateway.usage_zone ?? learned.usageZone,
});
