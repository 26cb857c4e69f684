import type { Command } from 'commander';
import type { Deps } from '../../core/index.ts';
import { configOption } from '../options.ts';
import { jsonText } from '../ui/json.ts';
import { ask } from '../ask.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { reconcileJson, renderReconcile } from './render.ts';

type ReconcileOptions = {
  readonly config: string;
  readonly from: string;
  readonly to: string;
  readonly account?: string | undefined;
  readonly json?: boolean;
};

/** Its arguments, options and help, and what it does. */
export const define = (reconcile: Command, deps: Deps): void => {
  reconcile
    .addOption(configOption())
    .requiredOption('--from <moment>', 'the first moment of the span')
    .requiredOption('--to <moment>', 'the first moment that no longer belongs to it')
    .option('-a, --account <name>', 'which account; the first one of the config unless given')
    .option('--json', 'print the comparisons as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Moments are read in the zone of the config: 2026-11-21, 2026-11-21T08:00, or with Z or an offset.
Verdicts: equal; refunds, rounding, currency (equal but for refunds that are not taken off there, the last place of its
figures, another currency or integer units); late data (rows that may still come or have come since); truncated (the log
is short, and no source says otherwise); unexplained. A source that can't be compared is named with the reason. The exit
code is 1 when something is truncated or unexplained, or nothing could be compared.

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
        createPlainLog(deps, end),
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
