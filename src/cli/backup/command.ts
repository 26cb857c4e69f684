import { resolve } from 'node:path';
import type { Command } from 'commander';
import { countText, jsonText, shellWord, sizeText, type Deps } from '../../core/index.ts';
import type { BackupResult } from '../../daemon/index.ts';
import { configOption } from '../options.ts';
import { ask } from '../ask.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';

type BackupOptions = { readonly config: string; readonly json?: boolean };

const render = ({ target, name, files, bytes, newBytes }: BackupResult): string =>
  `backup ${name} in ${target}: ${countText(files, 'file')}, ${sizeText(bytes)}, of which ${sizeText(newBytes)} are new; read back and equal
restore it with \`tollkeeper restore ${shellWord(target)}\`
`;

export const define = (backup: Command, deps: Deps): void => {
  backup
    .argument('<target>', 'a folder of backups, or a file')
    .addOption(configOption())
    .option('--json', 'print the backup as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Backs up the database, the audit log of keys, the outbox, the reports and the
archive as of one moment, while the daemon runs. Every byte is read back before
the backup counts as complete.

A folder holds any number of backups, and each stores only the blocks and files
that the earlier ones do not have. Use one folder for each data folder.

Examples:
  tollkeeper backup /backups
  tollkeeper backup /backups --json | jq .newBytes`,
    )
    .action(async (target: string, { config, json }: BackupOptions) => {
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      try {
        const result = await ask(
          deps,
          config,
          (commands) =>
            commands.call('backup', { target: resolve(deps.cwd, target) }, { progress, signal: deps.signal }),
          createPlainLog(deps, end),
        );
        end();
        deps.stdout.write(deps.secrets.redact(json === true ? jsonText(result) : render(result)));
      } finally {
        end();
      }
    });
};
