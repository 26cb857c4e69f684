import type { Command } from 'commander';
import { configOption } from '../options.ts';

export type Common = {
  readonly config: string;
  readonly account?: string | undefined;
  readonly json?: boolean;
  readonly yes?: boolean;
};

export const inAccount = ({ account }: Common) => (account === undefined ? {} : { account });

/** What every order on keys takes. */
export const common = (command: Command): Command =>
  command
    .addOption(configOption())
    .option('-a, --account <name>', 'which account; all of them are looked through unless given')
    .option('--json', 'print what came of it as JSON, times in UTC');

export const whatKey =
  'a service (its newest key that works), the name of a key, or an id; id:42 is always the id';
