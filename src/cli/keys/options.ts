import type { Command } from 'commander';
import { configOption } from '../options.ts';

export type Common = {
  readonly config: string;
  readonly account?: string | undefined;
  readonly json?: boolean;
  readonly yes?: boolean;
};

export const inAccount = ({ account }: Common) => (account === undefined ? {} : { account });

export const common = (command: Command): Command =>
  command
    .addOption(configOption())
    .option('-a, --account <name>', 'account of the key (default: search all)')
    .option('--json', 'print the outcome as JSON, times in UTC');

export const whatKey = 'service (its newest working key), key name, or ID; id:42 is always an ID';
