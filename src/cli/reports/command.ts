import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createReport, reportsKept } from '../../app/index.ts';
import { jsonText, type Deps } from '../../core/index.ts';
import { configOption, positiveCount } from '../options.ts';
import { screenOf } from '../ui/paint.ts';
import { renderReports } from './render.ts';

type ReportsOptions = {
  readonly config: string;
  readonly job?: string | undefined;
  readonly limit: number;
  readonly json?: boolean;
};

export const define = (reports: Command, deps: Deps): void => {
  reports
    .addOption(configOption())
    .option('-j, --job <name>', 'only this job')
    .option('-n, --limit <number>', 'how many', positiveCount, 20)
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Each report is stored in its own folder beside the database: report.html,
report.txt, its data as CSV, XLSX and Parquet, manifest.json with totals and
hashes, and mails.json with the hash of each mail. archive_reports.keep sets how
long.

Exits with 1 if a folder contains no readable report.

Examples:
  tollkeeper reports
  tollkeeper reports --job daily-spend --limit 5
  tollkeeper reports --json | jq -r '.[0].folder'
  tollkeeper reports new spend-by-model`,
    );
  reports
    .command('new')
    .description('Create a small report in the config folder as a starting point.')
    .argument('<name>', 'name of its folder under reports/ of the config folder')
    .addOption(configOption())
    .addHelpText(
      'after',
      `
Writes report.yaml and one SQL file: a table of spend by model. Never overwrites
a file.

Examples:
  tollkeeper reports new spend-by-model
  tollkeeper report spend-by-model --period last-7-days`,
    )
    .action(async (name: string, { config }: { readonly config: string }) => {
      const paths = await createReport(resolve(deps.cwd, config), name);
      const given = config === 'config' ? '' : ` --config ${config}`;
      deps.stdout.write(
        `${paths.join('\n')}\nnext: edit them, run \`tollkeeper check${given}\`, then \`tollkeeper report ${name}${given} --period last-7-days\`\n`,
      );
    });
  reports.action(async (options: ReportsOptions) => {
    const { job, limit } = options;
    const found = await reportsKept(deps, resolve(deps.cwd, options.config), {
      limit,
      job,
    });
    deps.stdout.write(
      deps.secrets.redact(
        options.json === true
          ? jsonText(found.reports)
          : renderReports(found, screenOf(deps.stdout, deps.env)),
      ),
    );
    if (options.json === true)
      for (const folder of found.damaged) deps.stderr.write(`no readable report in ${folder}\n`);
    reports.setOptionValue('exitCode', found.damaged.length === 0 ? 0 : 1);
  });
};
