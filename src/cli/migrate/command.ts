import { resolve } from 'node:path';
import type { Command } from 'commander';
import { countText, jsonText, type Deps } from '../../core/index.ts';
import { migrateData, type MigrateResult } from '../../app/index.ts';
import { configOption } from '../options.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';

type MigrateOptions = { readonly config: string; readonly to?: string; readonly json?: boolean };

const nextOf = ({ direction, file, isConfigured }: MigrateResult): string => {
  if (direction === 'to a file')
    return `remove \`database\` from tollkeeper.yaml, set warehouse.path to ${file}, and start the daemon; PostgreSQL is unchanged`;
  const first = isConfigured ? 'start the daemon' : 'set `database` in tollkeeper.yaml, and start the daemon';
  return `${first}; ${file} is unchanged: keep it until you have checked the data in PostgreSQL, then move it aside`;
};

const render = (result: MigrateResult): string => {
  const { direction, file, rows, charges, audit, mails } = result;
  const sum = Object.values(rows).reduce((one, other) => one + other, 0);
  const way = direction === 'to a file' ? `from PostgreSQL into ${file}` : `from ${file} into PostgreSQL`;
  const lines = [
    `copied ${way}: ${countText(sum, 'row')} in ${countText(Object.keys(rows).length, 'table')}, ${countText(mails, 'mail')}`,
    'rows and checksum of each table, charges and the audit log of keys are equal:',
    ...Object.entries(charges).map(([account, charge]) => `  charges of ${account}: ${charge}`),
    `  audit log: ${countText(audit.entries, 'step')}${audit.head === '' ? '' : `, head ${audit.head}`}`,
    '',
    `next: ${nextOf(result)}`,
  ];
  return `${lines.join('\n')}\n`;
};

export const define = (migrate: Command, deps: Deps): void => {
  migrate
    .addOption(configOption())
    .option(
      '--to <target>',
      'URL of an empty database of PostgreSQL, or path of a new database file (default: `database` of the configuration)',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Copies all data, mails and the audit log of keys: from the file at
warehouse.path into PostgreSQL; or, with the path of a file, from \`database\` of
the configuration into that file. Months in the archive become rows of
PostgreSQL. Built reports stay in the data folder.

Stop the daemon and all replicas first; while one runs, nothing is copied. What
is copied counts as a whole when rows, checksums, charges and the audit log of
both are equal. Until then the new database is empty, or the new file is absent:
after an interruption, run the command again, which begins from the start. The
present data stay as they are.

The password is a reference, as in tollkeeper.yaml; quote it for the shell.

Examples:
  tollkeeper migrate --to 'postgres://tollkeeper:\${DATABASE_PASSWORD}@db:5432/tollkeeper'
  tollkeeper migrate                               # into \`database\` of the configuration
  tollkeeper migrate --to data/tollkeeper.duckdb   # back into a file`,
    )
    .action(async ({ config, to, json }: MigrateOptions) => {
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      try {
        const result = await migrateData(
          deps,
          { folder: resolve(deps.cwd, config), to },
          progress,
          createPlainLog(deps, end),
        );
        end();
        deps.stdout.write(deps.secrets.redact(json === true ? jsonText(result) : render(result)));
      } finally {
        end();
      }
    });
};
