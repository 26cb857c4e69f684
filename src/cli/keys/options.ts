import type { Command } from 'commander';
import { inputTexts } from '../../daemon/index.ts';
import { configOption } from '../options.ts';

const texts = inputTexts('keys/rotate');

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
    .option('-a, --account <name>', texts.account)
    .option('--json', 'print the outcome as JSON, times in UTC');
