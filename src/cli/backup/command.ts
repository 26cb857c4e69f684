import { resolve } from 'node:path';
import type { Command } from 'commander';
import { countText, jsonText, shellWord, sizeText, type Deps } from '../../core/index.ts';
import { inputTexts, type BackupResult } from '../../app/index.ts';
import { configOption } from '../options.ts';
import { ask } from '../ask.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';

const texts = inputTexts('backup');

type BackupOptions = {
  readonly config: string;
  readonly recipient: readonly string[];
  readonly json?: boolean;
};

const render = (result: BackupResult): string => {
  const { target, isFile, isEncrypted, name, files, bytes, newBytes, drill } = result;
  const stored = isFile ? `${sizeText(newBytes)} in one file` : `of which ${sizeText(newBytes)} are new`;
  const restored = drill === 'restored' ? ', restored and equal before it was encrypted' : '';
  const command = `tollkeeper restore ${shellWord(target)}${isEncrypted ? ' --identity FILE' : ''}`;
  return `backup ${name} in ${target}: ${countText(files, 'file')}, ${sizeText(bytes)}, ${stored}; read back and equal${restored}
restore it with \`${command}\`
`;
};

export const define = (backup: Command, deps: Deps): void => {
  backup
    .argument('<target>', texts.target)
    .addOption(configOption())
    .option(
      '-r, --recipient <key>',
      texts.recipients,
      (key: string, before: readonly string[]) => [...before, key],
      [],
    )
    .option('--json', 'print the backup as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Backs up the database, the audit log of keys, the outbox, the reports and the
archive as of one moment, while the daemon runs. Every byte is read back before
the backup counts as complete.

A folder holds any number of backups, and each stores only the blocks and files
that the earlier ones do not have. Use one folder for each data folder.

A target that ends in .tar or .age, or is a file, gets one whole backup, which
\`tar xf\` unpacks. One file, and encryption, need temporary space beside the data
of once or twice its size.

Examples:
  tollkeeper backup /backups
  tollkeeper backup tollkeeper.tar.age --recipient age1…
  tollkeeper backup /backups --json | jq .newBytes`,
    )
    .action(async (target: string, { config, recipient: recipients, json }: BackupOptions) => {
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      try {
        const result = await ask(
          deps,
          config,
          (commands) =>
            commands.call(
              'backup',
              { target: resolve(deps.cwd, target), recipients },
              { progress, signal: deps.signal },
            ),
          { log: createPlainLog(deps, end) },
        );
        end();
        deps.stdout.write(deps.secrets.redact(json === true ? jsonText(result) : render(result)));
      } finally {
        end();
      }
    });
};
