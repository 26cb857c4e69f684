import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { inputTexts, openCommands } from '../../app/index.ts';
import { comparisonNames, fault, systemCode, type ComparisonName, type Deps } from '../../core/index.ts';
import { periodForms } from '../../settings.ts';
import { configOption } from '../options.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { unwritable } from '../ui/unwritable.ts';
import { basisOf, queryFormats, renderQuery, type QueryFormat } from './render.ts';

const texts = inputTexts('query');

type QueryOptions = {
  readonly config: string;
  readonly period?: string | undefined;
  readonly comparison?: ComparisonName | undefined;
  readonly account?: string | undefined;
  readonly timezone?: string | undefined;
  readonly format?: QueryFormat | undefined;
  readonly out?: string | undefined;
};

/** As given, else by the name of the file. */
const formatOf = ({ format, out }: QueryOptions): QueryFormat => {
  const ending = out === undefined ? undefined : extname(out).slice(1).toLowerCase();
  const chosen = format ?? queryFormats.find((known) => known === ending) ?? 'table';
  if (chosen === 'parquet' && out === undefined)
    throw fault('wrong-use', 'a Parquet file is not printed', {
      advice: 'name the file with --out, such as --out calls.parquet',
    });
  return chosen;
};

const writeNew = async (path: string, content: string | Buffer): Promise<void> => {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw unwritable(path, error);
    throw fault('path-unwritable', `${path} already exists; it was not overwritten`, {
      cause: error,
      advice: 'choose another file with --out, or move this one away',
    });
  }
};

export const define = (command: Command, deps: Deps): void => {
  command
    .argument('<sql>', texts.sql)
    .addOption(configOption())
    .option('-p, --period <period>', `days of the period \`current\`: ${periodForms}`, 'month-to-date')
    .addOption(new Option('--comparison <days>', texts.comparison).choices(comparisonNames))
    .option('-a, --account <name>', texts.account)
    .option('-z, --timezone <zone>', texts.zone)
    .addOption(
      new Option('-f, --format <format>', 'default: by the ending of --out, or table').choices(queryFormats),
    )
    .option('-o, --out <file>', 'write to this new file instead of standard output')
    .addHelpText(
      'after',
      `
Reads what the SQL of reports reads, within the same limits: 60 seconds, 100,000
rows. Numbers are exact; in JSON they are text. Standard error names the period,
the currency and the end of the data.

Examples:
  tollkeeper query "SELECT model_name, sum(spend) AS spend FROM cube WHERE period = 'current' GROUP BY ALL ORDER BY spend DESC"
  tollkeeper query --period last-month --out days.csv "SELECT day, sum(calls) FROM cube WHERE period = 'current' GROUP BY ALL ORDER BY ALL"
  tollkeeper query --format json "SELECT name, last_call_seconds FROM keys ORDER BY name" | jq .`,
    )
    .action(async (sql: string, options: QueryOptions) => {
      const format = formatOf(options);
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      const folder = resolve(deps.cwd, options.config);
      await using commands = await openCommands(deps, {
        folder,
        log: createPlainLog(deps, end),
        reads: true,
      });
      try {
        const answer = await commands.call(
          'query',
          {
            sql,
            period: options.period,
            comparison: options.comparison,
            account: options.account,
            zone: options.timezone,
            ...(format === 'csv' || format === 'parquet' ? { file: format } : {}),
          },
          { progress, signal: deps.signal },
        );
        const content = renderQuery(answer, format);
        end();
        if (options.out === undefined) deps.stdout.write(deps.secrets.redact(String(content)));
        else await writeNew(resolve(deps.cwd, options.out), content);
        deps.stderr.write(`${basisOf(answer, answer.zone)}\n`);
      } finally {
        end();
      }
    });
};
