import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { inputTexts, openCommands } from '../../app/index.ts';
import {
  attachFormats,
  comparisonNames,
  csvDecimals,
  csvDelimiters,
  localeTags,
  usualCsv,
  type AttachFormat,
  type CsvForm,
  type ComparisonName,
  type LocaleTag,
  type Deps,
  jsonText,
} from '../../core/index.ts';
import { configOption } from '../options.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { oneLine } from '../ui/text.ts';
import { showProgress } from '../ui/progress.ts';
import { writeFiles } from '../ui/write-files.ts';
import { periodForms } from '../../settings.ts';

const texts = inputTexts('report');

type ReportOptions = {
  readonly config: string;
  readonly period?: string | undefined;
  readonly comparison?: ComparisonName | undefined;
  readonly team?: string | undefined;
  readonly out?: string | undefined;
  readonly mailTo?: string | undefined;
  readonly account?: string | undefined;
  readonly timezone?: string;
  readonly locale?: LocaleTag | undefined;
  readonly attach?: readonly AttachFormat[] | undefined;
  readonly csvDelimiter: CsvForm['delimiter'];
  readonly csvDecimal: CsvForm['decimal'];
  readonly json?: boolean;
};

const readForms = (text: string): readonly AttachFormat[] =>
  text.split(',').map((word) => {
    const form = attachFormats.find((known) => known === word.trim().toLowerCase());
    if (form === undefined) throw new InvalidArgumentError(`it must be of ${attachFormats.join(', ')}`);
    return form;
  });

const readDelimiter = (text: string): CsvForm['delimiter'] => {
  const delimiter = csvDelimiters.find((known) => known === text.replace('\\t', '\t'));
  if (delimiter === undefined) throw new InvalidArgumentError('it must be "," or ";" or "\\t"');
  return delimiter;
};

export const define = (command: Command, deps: Deps): void => {
  command
    .argument('<name>', texts.report)
    .addOption(configOption())
    .option('-p, --period <period>', `${periodForms}; default: as the report defines, or last-month`)
    .addOption(new Option('--comparison <days>', texts.comparison).choices(comparisonNames))
    .option('-t, --team <name>', texts.team)
    .option('-o, --out <folder>', 'output folder (default: out; none with --mail-to)')
    .option('--mail-to <address>', texts.mailTo)
    .option('-a, --account <name>', texts.account)
    .option('-z, --timezone <zone>', texts.zone)
    .addOption(new Option('-l, --locale <language>', texts.locale).choices(localeTags))
    .option('--attach <forms>', texts.attach, readForms)
    .addOption(
      new Option(
        '--csv-delimiter <character>',
        'character between two cells of a CSV file; \\t is a tabulator',
      )
        .argParser(readDelimiter)
        .default(usualCsv.delimiter),
    )
    .addOption(
      new Option('--csv-decimal <character>', 'decimal mark in a CSV file')
        .choices(csvDecimals)
        .default(usualCsv.decimal),
    )
    .option('--json', 'print the paths and the answer of the mail server as JSON')
    .addHelpText(
      'after',
      `
Examples:
  tollkeeper report spend-summary
  tollkeeper report spend-summary --period 2026-10
  tollkeeper report spend-summary --period 2026-01-01..2026-02-01 --timezone Asia/Shanghai --out january
  tollkeeper report spend-summary --attach csv,xlsx
  tollkeeper report statement --period 2026-10 --attach pdf
  tollkeeper report journal --attach csv --csv-delimiter ";" --csv-decimal ,
  tollkeeper report spend-summary --period yesterday --mail-to me@example.com`,
    )
    .action(async (name: string, options: ReportOptions) => {
      const folder = resolve(deps.cwd, options.config);
      const { progress, end } = showProgress(deps.stderr, deps.clock);
      const log = createPlainLog(deps, end);
      await using commands = await openCommands(deps, { folder, log, reads: options.mailTo === undefined });
      try {
        const built = await commands.call(
          'report',
          {
            report: name,
            period: options.period,
            comparison: options.comparison,
            team: options.team,
            attach: options.attach,
            csv: { delimiter: options.csvDelimiter, decimal: options.csvDecimal },
            mailTo: options.mailTo,
            account: options.account,
            zone: options.timezone,
            locale: options.locale,
          },
          { progress, signal: deps.signal },
        );
        const { mailed } = built;
        const out = options.out ?? (mailed === undefined ? 'out' : undefined);
        const paths = out === undefined ? [] : await writeFiles(resolve(deps.cwd, out), built.files);
        end();
        for (const { message, advice } of built.warnings)
          deps.stderr.write(`warning: ${message}\n    what to do: ${advice}\n`);
        deps.stdout.write(
          options.json === true
            ? jsonText({ subject: built.subject, files: paths, warnings: built.warnings, mailed })
            : `${[built.subject, ...paths, ...(mailed === undefined ? [] : [`sent to ${mailed.recipient}: ${oneLine(mailed.response)}`])].join('\n')}\n`,
        );
      } finally {
        end();
      }
    });
};
