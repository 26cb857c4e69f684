import type { GatewayProfile, UnixSeconds } from '../../core/index.ts';
import type { LogBatch } from '../../warehouse/index.ts';
import { columnAt, decimalsWritten, learnTimeForm, sampleCells } from '../format/learn-cells.ts';
import { currencyOf } from './log-header.ts';
import type { LogWindow } from './log-windows.ts';
import type { ReceivedLogs } from './receive-logs.ts';

type Pull = {
  readonly account: string;
  readonly currency: string;
  readonly profile: GatewayProfile;
  readonly opensRange: boolean;
  readonly until: UnixSeconds;
  readonly acceptsEmpty?: boolean;
};

/** The warehouse's input for landing a received export. @throws fault export-timestamp-unreadable. */
export const logBatch = (
  window: LogWindow,
  asked: LogWindow,
  received: ReceivedLogs | undefined,
  pull: Pull,
): LogBatch => {
  const { account, currency, profile, opensRange, until, acceptsEmpty } = pull;
  const columns = received?.columns ?? [];
  const headerCurrency = currencyOf(columns);
  const kinds = profile.logExport?.kinds;
  const cells = (role: 'created_at' | 'quota'): readonly string[] =>
    received === undefined || received.served === 0
      ? []
      : sampleCells(received.sample, received.sampleCut, columnAt(columns, role), columns.length);
  return {
    account,
    window,
    asked,
    file: received?.file ?? '',
    bytes: received?.received ?? 0,
    served: received?.served ?? 0,
    columns,
    kinds,
    time: learnTimeForm(cells('created_at'), profile, asked),
    guarded: profile.logExport?.guards ?? received?.scan.guarded ?? false,
    hasSeparators: received?.scan.hasSeparators,
    quotedNewlines: received?.scan.quotedNewlines ?? false,
    currency,
    headerCurrency,
    amounts: {
      ...(profile.amounts === 'auto' ? {} : { form: profile.amounts }),
      unitsPerCurrency: profile.unitsPerCurrency,
      unitsStated: profile.unitsStated === true,
      decimalsWritten: decimalsWritten(cells('quota')),
    },
    ...(received?.total === undefined ? {} : { total: received.total }),
    opensRange,
    settled: until,
    ...(acceptsEmpty === true ? { acceptsEmpty } : {}),
  };
};
