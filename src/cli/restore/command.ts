import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fault, jsonText, type Deps } from '../../core/index.ts';
import { listBackups, restoreBackup, verifyBackup } from '../../app/index.ts';
import { configOption } from '../options.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { renderBackups, renderRestore, renderVerified } from './render.ts';

type RestoreOptions = {
  readonly config: string;
  readonly backup?: string;
  readonly identity?: string;
  readonly list?: boolean;
  readonly verify?: boolean;
  readonly replace?: boolean;
  readonly catchUp?: boolean;
  readonly json?: boolean;
};

export const define = (restore: Command, deps: Deps): void => {
  const print = (text: string): void => deps.stdout.write(deps.secrets.redact(text));
  const screen = () => screenOf(deps.stdout, deps.env);
  restore
    .argument('<from>', 'a folder of backups, or a backup file')
    .addOption(configOption())
    .option('-b, --backup <name>', 'backup of the folder (default: the newest)')
    .option('--identity <file>', 'age identity that decrypts the backup, as age-keygen writes it')
    .option('--list', 'list the backups of the folder, and change nothing')
    .option('--verify', 'read every byte of the backup, and change nothing')
    .option('--replace', 'move the data that is present aside')
    .option('--catch-up', 'let the `catchup` of each job decide on the slots since the backup')
    .option('--json', 'print the result as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Restores into the data folder of the configuration, which must be empty unless
--replace is given; then the present data is moved to a folder replaced-TIME in
it. Stop the daemon first. The backup is opened and compared with its manifest
before anything is replaced.

A restore sends nothing and changes no key:
  - Messages that are unsent in the backup are held until \`tollkeeper outbox
    release\`.
  - Slots between the backup and now are marked as skipped (restored), and listed
    with the command that runs them.
  - Keys that were rotated after the backup stop key operations of their service
    until \`tollkeeper keys reconcile --apply\`.

Exits with 0 if the data is restored, if the backup has no damage, or if the
backups are listed; with 1 if the restore fails, if the backup is damaged, or
while a daemon runs; and with 2 on usage errors, an invalid configuration, and
without --replace also if the data folder is not empty.

Examples:
  tollkeeper restore /backups --list
  tollkeeper restore /backups --verify
  tollkeeper restore /backups
  tollkeeper restore /backups --backup 20261126T010000Z --replace
  tollkeeper restore tollkeeper.tar.age --identity key.txt`,
    )
    .action(async (from: string, options: RestoreOptions) => {
      const { backup: name, identity, json } = options;
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      const source = { from, name, identity };
      try {
        if (options.list === true) {
          const backups = await listBackups(deps, source);
          print(json === true ? jsonText(backups) : renderBackups(backups, screen()));
          return;
        }
        if (options.verify === true) {
          if (options.replace === true)
            throw fault('wrong-use', '--verify changes nothing, so --replace cannot be combined with it');
          const verified = await verifyBackup(deps, source, progress);
          end();
          print(json === true ? jsonText(verified) : renderVerified(verified));
          restore.setOptionValue('exitCode', verified.damage.length === 0 ? 0 : 1);
          return;
        }
        const request = {
          ...source,
          folder: resolve(deps.cwd, options.config),
          replace: options.replace === true,
          catchUp: options.catchUp === true,
        };
        const restored = await restoreBackup(deps, request, progress, createPlainLog(deps, end));
        end();
        print(json === true ? jsonText(restored) : renderRestore(restored, screen()));
      } finally {
        end();
      }
    });
};
