import { resolve } from 'node:path';
import type { Command } from 'commander';
import { inputTexts, auditKeys, type KeyHistory } from '../../app/index.ts';
import { didYouMean, type Deps, fault, isFault, jsonText } from '../../core/index.ts';
import { configOption, positiveCount } from '../options.ts';
import { keysDeps, request, type KeysDeps } from './deps.ts';
import { refuseUnknown, servicesOf } from './services.ts';
import { addKeyOperations } from './operations.ts';
import { addKeyPlans } from './plans.ts';
import { addReconcile } from './reconcile.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { renderAudit } from './render/audit.ts';
import { keyHistoryJson, renderKeyHistory } from './render/history.ts';
import { keysJson, renderKeys } from './render/list.ts';

const listTexts = inputTexts('keys/list');
const historyTexts = inputTexts('keys/history');

type Asked = { readonly config: string; readonly account?: string | undefined; readonly json?: boolean };
type AuditOptions = { readonly config: string; readonly verify?: string | true; readonly json?: boolean };

/** Without `list`, a word that names no key may be a misspelled subcommand. */
const orCommand = (error: unknown, word: string | undefined, keys: Command): unknown => {
  const names = keys.commands.map((one) => one.name());
  const advice = word === undefined ? undefined : didYouMean(word, names);
  return advice !== undefined && isFault(error) && error.code === 'wrong-use'
    ? fault('wrong-use', error.message, { advice })
    : error;
};

const addList = (keys: Command, part: KeysDeps): void => {
  const { deps, print } = part;
  keys
    .command('list', { isDefault: true })
    .description('List keys with service, age, expiry, last call and spend, those that need attention first.')
    .argument('[key]', listTexts.key)
    .addOption(configOption())
    .option('-a, --account <name>', listTexts.account)
    .option('-d, --days <number>', listTexts.days, positiveCount, 30)
    .option('-w, --wide', 'show all columns, even if the terminal is too narrow')
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Names, quotas and expiry come from the gateway; calls and spend come from the
pulled call log. A ? means unknown. The bar shows how close a key is to its
rotation or expiry.

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
          account: options.account,
        }).catch((error: unknown) => {
          throw keys.args[0] === 'list' ? error : orCommand(error, key, keys);
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
    const { account } = options;
    if (service === undefined) return await open.call('keys/history', { account });
    const found = await open.call('keys/history', { service, account });
    if (found.steps.length === 0)
      refuseUnknown(service, await servicesOf(open.call, { account }, open.progress, deps.signal));
    return found;
  };
  keys
    .command('history')
    .description('List every step taken on keys: time, actor and action.')
    .argument('[service]', historyTexts.service)
    .addOption(configOption())
    .option('-a, --account <name>', historyTexts.account)
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Exits with 2 and lists the known services if a service has neither steps nor
keys.

Examples:
  tollkeeper keys history billing
  tollkeeper keys history --json | jq -r '.[] | select(.what == "deleted") | [.at, .message] | @tsv'`,
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
    .description('Verify that no step in the audit file is missing or changed.')
    .addOption(configOption())
    .option('--verify [file]', 'file to verify (default: the one beside the database)')
    .option('--json', 'print the verdict as JSON')
    .addHelpText(
      'after',
      `
Each line contains the hash of the previous one: with a saved head hash you can
prove that the file is unchanged up to that line. The file beside the database
is compared with the database, step by step; the daemon does it if one runs. A
file that is given is verified by itself, without configuration and database.

Exits with 1 and prints the next step if the chain is broken, if the file and
the database differ, or if the file is missing although the database contains
steps.

Examples:
  tollkeeper keys audit --verify
  tollkeeper keys audit --verify /backup/keys.jsonl --json | jq -r .head`,
    );
  command.action(async ({ config, verify, json }: AuditOptions) => {
    if (verify === undefined)
      throw fault('wrong-use', 'no action given', {
        advice: 'add --verify, with or without a file',
      });
    const verdict = await auditKeys(
      deps,
      verify === true ? { folder: resolve(deps.cwd, config) } : { file: resolve(deps.cwd, verify) },
      createPlainLog(deps, () => undefined),
    );
    print(json === true ? jsonText(verdict) : renderAudit(verdict, screenOf(deps.stdout, deps.env)));
    const { broken, missing, database } = verdict;
    const isGood = broken === undefined && missing === undefined && database?.differs === undefined;
    command.setOptionValue('exitCode', isGood ? 0 : 1);
  });
};

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
  addReconcile(keys, part);
  addHistory(keys, part);
  addAudit(keys, part);
};
