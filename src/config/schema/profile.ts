import { unknownGateway, type GatewayProfile } from '../../core/index.ts';
import type { Account } from './settings-schema.ts';

type LogExport = NonNullable<GatewayProfile['logExport']>;

/** The settings for the log export; undefined when there are none. */
const logExportOf = ({ gateway }: Account): LogExport | undefined => {
  const { columns, kinds, title_lines: titleLines, total_line: totalLine, guards } = gateway;
  const format: LogExport = {
    ...(columns === undefined ? {} : { columns }),
    ...(kinds === undefined ? {} : { kinds }),
    ...(titleLines === undefined ? {} : { titleLines }),
    ...(totalLine === undefined ? {} : { totalLine }),
    ...(guards === undefined ? {} : { guards }),
  };
  return Object.keys(format).length === 0 ? undefined : format;
};

/** The profile of an account's gateway: what was learned, overridden by the YAML. */
export const profileOf = (account: Account, learned: GatewayProfile = unknownGateway): GatewayProfile => {
  const logExport = logExportOf(account);
  return {
    timestamps: account.gateway.timestamps ?? learned.timestamps,
    naiveZone: account.gateway.naive_zone ?? learned.naiveZone,
    amounts: account.gateway.amounts ?? learned.amounts,
    ...(account.gateway.round_amounts === undefined ? {} : { roundAmounts: account.gateway.round_amounts }),
    unitsPerCurrency: account.gateway.units_per_currency ?? learned.unitsPerCurrency,
    ...(account.gateway.units_per_currency === undefined ? {} : { unitsStated: true }),
    usageZone: account.gateway.usage_zone ?? learned.usageZone,
    ...(logExport === undefined ? {} : { logExport }),
  };
};
