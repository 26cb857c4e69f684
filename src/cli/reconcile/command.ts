import type { Command } from 'commander';
import { jsonText, type Deps } from '../../core/index.ts';
import { inputTexts } from '../../app/index.ts';
import { configOption } from '../options.ts';
import { ask } from '../ask.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { reconcileJson, renderReconcile } from './render.ts';

const texts = inputTexts('reconcile');

type ReconcileOptions = {
  readonly config: string;
  readonly from: string;
  readonly to: string;
  readonly account?: string | undefined;
  readonly json?: boolean;
};

export const define = (reconcile: Command, deps: Deps): void => {
  reconcile
    .addOption(configOption())
    .requiredOption('--from <moment>', texts.from)
    .requiredOption('--to <moment>', texts.to)
    .option('-a, --account <name>', texts.account)
    .option('--json', 'print the comparisons as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Times are read in the time zone of the configuration: 2026-11-21,
2026-11-21T08:00, or with Z or an offset.

Verdicts:
  equal        the figures are equal
  refunds      equal, except that the source does not deduct refunds
  rounding     equal, except for the last decimal place of the source
  currency     equal in another currency or in integer units
  late data    rows may still arrive, or have arrived since
  truncated    the log is incomplete, and no source contradicts that
  unexplained  none of these

A source that cannot be compared is listed with the reason. Exits with 1 if a
comparison is truncated or unexplained, or if nothing could be compared.

Examples:
  tollkeeper reconcile --from 2026-11-01 --to 2026-12-01
  tollkeeper reconcile --from 2026-11-20T08:00Z --to 2026-11-20T09:00Z --account main --json`,
    );
  reconcile.action(async (options: ReconcileOptions) => {
    const { from, to, account } = options;
    const { progress, end } = showProgress(deps.stderr, deps.clock);
    try {
      const found = await ask(
        deps,
        options.config,
        (commands) => commands.call('reconcile', { from, to, account }, { progress, signal: deps.signal }),
        { log: createPlainLog(deps, end) },
      );
      end();
      deps.stdout.write(
        deps.secrets.redact(
          options.json === true
            ? jsonText(reconcileJson(found))
            : renderReconcile(found, screenOf(deps.stdout, deps.env)),
        ),
      );
      reconcile.setOptionValue('exitCode', found.good ? 0 : 1);
    } finally {
      end();
    }
  });
};
