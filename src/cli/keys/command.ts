import { resolve } from 'node:path';
import type { Command } from 'commander';
import { auditKeys } from '../../daemon/index.ts';
import type { KeyHistory } from '../../daemon/index.ts';
import type { Deps } from '../../core/index.ts';
import { fault } from '../../core/index.ts';
import { configOption } from '../options.ts';
import { jsonText } from '../ui/json.ts';
import { keysDeps, request } from './deps.ts';
import type { KeysDeps } from './deps.ts';
import { refuseUnknown, servicesOf } from './services.ts';
import { addServiceOperations } from './line.ts';
import { inAccount } from './options.ts';
import { addKeyOperations } from './operations.ts';
import { addKeyPlans } from './plans.ts';
import { addReconcile } from './reconcile.ts';
import { amount } from '../options.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { renderAudit } from './render/audit.ts';
import { keyHistoryJson, renderKeyHistory } from './render/history.ts';
import { keysJson, renderKeys } from './render/list.ts';

type Asked = { readonly config: string; readonly account?: string | undefined; readonly json?: boolean };
type AuditOptions = { readonly config: string; readonly verify?: string | true; readonly json?: boolean };

const addList = (keys: Command, part: KeysDeps): void => {
  const { deps, print } = part;
  keys
    .command('list', { isDefault: true })
    .description('every key with its service, age, expiry, last call, spend; what needs attention first')
    .argument('[key]', 'only this service with all its keys, name of a key, or id')
    .addOption(configOption())
    .option('-a, --account <name>', 'only of this account')
    .option('-d, --days <number>', 'days of use that are looked at', amount, 30)
    .option('-w, --wide', 'every column, though the terminal is too narrow for all')
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Names, quotas and expiry are asked of the gateway now; calls and spend come from the call log that was pulled. A ? is not
known. The bar shows how far a key is on its way to its rotation or its end.

Examples:
  tollkeeper keys
  tollkeeper keys list billing --days 90
  tollkeeper keys --wide
  tollkeeper keys list --json | jq -r '.keys[] | select(.attention != []) | .name'`,
    )
    .action(
      async (
        key: string | undefined,
        options: Asked & { readonly days: number; readonly wide?: boolean },
      ) => {
        const { config, days, json } = options;
        const { answer: view } = await request(part, config, 'keys/list', {
          days,
          key,
          ...inAccount(options),
        });
        print(
          json === true
            ? jsonText(keysJson(view))
            : renderKeys(view, screenOf(deps.stdout, deps.env), options.wide === true),
        );
      },
    );
};

const addHistory = (keys: Command, { deps, print, openKeys }: KeysDeps): void => {
  const read = async (service: string | undefined, options: Asked): Promise<KeyHistory> => {
    await using open = await openKeys(options.config);
    const account = inAccount(options);
    if (service === undefined) return await open.call('keys/history', account);
    const found = await open.call('keys/history', { service, ...account });
    if (found.steps.length === 0)
      refuseUnknown(service, await servicesOf(open.call, account, open.progress, deps.signal));
    return found;
  };
  keys
    .command('history')
    .description('every step that was taken on keys: when, who, what')
    .argument('[service]', 'only of this service')
    .addOption(configOption())
    .option('-a, --account <name>', 'only of this account')
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
A service that has neither a step nor a key is refused: exit code 2, with the services that there are.

Examples:
  tollkeeper keys history billing
  tollkeeper keys history --json | jq -r '.[] | select(.what == "deleted") | [.at, .words] | @tsv'`,
    )
    .action(async (service: string | undefined, options: Asked) => {
      const history = await read(service, options);
      print(
        options.json === true
          ? jsonText(keyHistoryJson(history))
          : renderKeyHistory(history, screenOf(deps.stdout, deps.env)),
      );
    });
};

const addAudit = (keys: Command, { deps, print }: KeysDeps): void => {
  const command = keys
    .command('audit')
    .description('checks that no step is missing from the audit file, and none was changed')
    .addOption(configOption())
    .option('--verify [file]', 'check this file; the one beside the database unless named')
    .option('--json', 'print the verdict as JSON')
    .addHelpText(
      'after',
      `
Each line holds the hash of the one before: who keeps the head hash can tell whether the file was ever changed up to
there. Neither the daemon nor the database is asked, unless the file is missing, nor the config where a file is named. Exit
code 1 when the chain is broken, or the file is missing though the database knows steps; what to do is said.

Examples:
  tollkeeper keys audit --verify
  tollkeeper keys audit --verify /backup/keys.jsonl --json | jq -r .head`,
    );
  command.action(async ({ config, verify, json }: AuditOptions) => {
    if (verify === undefined)
      throw fault('wrong-use', 'keys audit does one thing', {
        advice: 'give --verify, with a file or without',
      });
    const verdict = await auditKeys(
      deps,
      verify === true ? { folder: resolve(deps.cwd, config) } : { file: resolve(deps.cwd, verify) },
      createPlainLog(deps, () => undefined),
    );
    print(json === true ? jsonText(verdict) : renderAudit(verdict, screenOf(deps.stdout, deps.env)));
    const isGood = verdict.broken === undefined && verdict.missing === undefined;
    command.setOptionValue('exitCode', isGood ? 0 : 1);
  });
};

/** Its arguments, options and help, and what it does. */
export const define = (
  keys: Command,
  deps: Deps,
  others: Partial<Pick<KeysDeps, 'person' | 'ask' | 'openKeys'>> = {},
): void => {
  const part = { ...keysDeps(deps), ...others };
  keys.addHelpText(
    'after',
    `
Examples:
  tollkeeper keys                              every key, what needs attention first
  tollkeeper keys plan rotate-prod -o plan.json
  tollkeeper keys apply plan.json
  tollkeeper keys rotate billing               by hand, through every step
  tollkeeper keys rotate billing --now         it leaked
  tollkeeper keys history billing
  tollkeeper keys audit --verify`,
  );
  addList(keys, part);
  addKeyPlans(keys, part);
  addKeyOperations(keys, part);
  addServiceOperations(keys, part);
  addReconcile(keys, part);
  addHistory(keys, part);
  addAudit(keys, part);
};
