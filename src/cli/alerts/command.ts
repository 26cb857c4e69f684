import type { Command } from 'commander';
import { countText, fault, jsonText, type Deps } from '../../core/index.ts';
import {
  inputTexts,
  alertsJson,
  type AlertAnswer,
  type Commands,
  type ExpectedEntry,
} from '../../app/index.ts';
import { ask } from '../ask.ts';
import { personOf } from '../keys/person.ts';
import { positiveCount, configOption } from '../options.ts';
import { screenOf } from '../ui/paint.ts';
import { renderExpected, renderLog, renderAlerts } from './render.ts';

const alertTexts = inputTexts('alerts/mute');
const expectTexts = inputTexts('alerts/expect');
const logTexts = inputTexts('alerts/log');

type Common = { readonly config: string; readonly json?: boolean };
type ActionOptions = Common & {
  readonly account?: string;
  readonly reason?: string;
  readonly until?: string;
};

type ExpectOptions = Common & {
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly account?: string;
  readonly remove?: boolean;
};

const expectedJson = (entries: readonly ExpectedEntry[]) =>
  entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }));

export const define = (alerts: Command, deps: Deps): void => {
  const print = (text: string): void => deps.stdout.write(deps.secrets.redact(text));
  const screen = () => screenOf(deps.stdout, deps.env);

  alerts
    .addOption(configOption())
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText(
      'after',
      `
Shows the result of the last evaluation by a job of kind alert.

States:
  ok         every threshold is above the spend
  exceeded   the spend has reached a threshold
  forecast   only the forecast has reached a threshold
  low        a balance or quota lasts for too few days
  unknown    the data does not suffice; the reason is below the row, or one
             line names all alerts that are unknown for the same reason

Exits with 1 if an alert fires that is neither muted nor acknowledged, or the
state of a budget is unknown.

Examples:
  tollkeeper alerts
  tollkeeper alerts mute search --until 2026-12-01
  tollkeeper alerts ack search --reason "load test until Friday"
  tollkeeper alerts log
  tollkeeper alerts --json | jq '.[] | select(.state == "exceeded")'`,
    )
    .action(async ({ config, json }: Common) => {
      const views = await ask(deps, config, (commands) => commands.call('alerts/list', {}), { reads: true });
      print(json === true ? jsonText(alertsJson(views)) : renderAlerts(views, screen()));
      const needsAttention = views.some(
        ({ firing, mute, acknowledged, state, mustBeKnown }) =>
          mute === undefined &&
          ((firing.length > 0 && acknowledged === undefined) ||
            (mustBeKnown === true && state === 'unknown')),
      );
      alerts.setOptionValue('exitCode', needsAttention ? 1 : 0);
    });

  const answer = ({ alert, account, message }: AlertAnswer, json: boolean | undefined): void =>
    print(
      json === true ? jsonText({ alert, account, message }) : `${alert} (account ${account}): ${message}\n`,
    );

  const acts = (
    command: Command,
    act: (call: Commands, alert: string, options: ActionOptions) => Promise<AlertAnswer>,
  ): void => {
    command
      .argument('<alert>', alertTexts.alert)
      .addOption(configOption())
      .option('--account <name>', alertTexts.account)
      .option('--json', 'print the outcome as JSON')
      .action(async (alert: string, options: ActionOptions) => {
        answer(
          await ask(deps, options.config, (commands) => act(commands.call, alert, options)),
          options.json,
        );
      });
  };

  const mute = alerts
    .command('mute')
    .description('Stop the notifications of an alert until a date.')
    .requiredOption('--until <moment>', alertTexts.until)
    .option('--reason <text>', alertTexts.reason)
    .addHelpText(
      'after',
      `
What still fires when the mute ends is notified of then.

Examples:
  tollkeeper alerts mute search --until 2026-12-01
  tollkeeper alerts mute key:ci --until 2026-12-01T08:00 --reason "migration"`,
    );
  acts(mute, async (call, alert, { until = '', account, reason }) =>
    call('alerts/mute', { alert, account, until, who: personOf(), reason }),
  );

  const unmute = alerts
    .command('unmute')
    .description('End a mute now.')
    .addHelpText('after', `\nExamples:\n  tollkeeper alerts unmute search`);
  acts(unmute, async (call, alert, { account }) =>
    call('alerts/unmute', { alert, account, who: personOf() }),
  );

  const ack = alerts
    .command('ack')
    .description('Record that you have seen an alert that fires.')
    .option('--reason <text>', alertTexts.reason)
    .addHelpText(
      'after',
      `
An acknowledged alert no longer makes \`alerts\` exit with 1. An alert of a
further threshold needs another acknowledgement.

Examples:
  tollkeeper alerts ack search
  tollkeeper alerts ack search --reason "load test until Friday"`,
    );
  acts(ack, async (call, alert, { account, reason }) =>
    call('alerts/acknowledge', { alert, account, who: personOf(), reason }),
  );

  alerts
    .command('expect')
    .description('List days that are known to be unusual, or add some.')
    .addOption(configOption())
    .option('--from <date>', expectTexts.from)
    .option('--to <date>', expectTexts.to)
    .option('--reason <text>', expectTexts.reason)
    .option('--account <name>', expectTexts.account)
    .option('--remove', 'the days are no longer expected')
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      `
Expected days are left out of the history of forecasts and of alerts about
unusual spend: neither does such a day alert, nor is a later one compared with
it. Budgets count what they cost, and alerts about keys and prices stay.

Examples:
  tollkeeper alerts expect --from 2026-11-27 --to 2026-11-30 --reason "sale"
  tollkeeper alerts expect --from 2026-12-01 --reason "load test" --account main
  tollkeeper alerts expect --from 2026-12-01 --remove
  tollkeeper alerts expect`,
    )
    .action(async (options: ExpectOptions) => {
      const { config, json, from, reason, remove, to, account } = options;
      if (from === undefined) {
        if ([to, reason, account, remove].some((one) => one !== undefined))
          throw fault('wrong-use', 'the first day is missing', { advice: 'add --from DATE' });
        const entries = await ask(deps, config, (commands) => commands.call('alerts/expected', {}), {
          reads: true,
        });
        print(json === true ? jsonText(expectedJson(entries)) : renderExpected(entries, screen()));
        return;
      }
      const days = { from, to, account, who: personOf() };
      if (remove === true) {
        const { forgotten } = await ask(deps, config, (commands) => commands.call('alerts/forget', days));
        print(
          json === true
            ? jsonText({ forgotten })
            : `no longer expected in ${countText(forgotten, 'account')}\n`,
        );
        return;
      }
      if (reason === undefined)
        throw fault('wrong-use', 'the reason is missing', {
          advice: 'add --reason TEXT: why these days are unusual',
        });
      const entries = await ask(deps, config, (commands) =>
        commands.call('alerts/expect', { ...days, reason }),
      );
      print(json === true ? jsonText(expectedJson(entries)) : renderExpected(entries, screen()));
    });

  alerts
    .command('log')
    .description(
      'List which alerts were raised and ended, and who muted and acknowledged them, newest first.',
    )
    .addOption(configOption())
    .option('-n, --limit <number>', logTexts.limit, positiveCount, 50)
    .option('--json', 'print them as JSON, times in UTC')
    .addHelpText('after', `\nExamples:\n  tollkeeper alerts log --limit 10`)
    .action(async ({ config, json, limit }: Common & { readonly limit: number }) => {
      const entries = await ask(deps, config, (commands) => commands.call('alerts/log', { limit }), {
        reads: true,
      });
      print(
        json === true
          ? jsonText(entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })))
          : renderLog(entries, screen()),
      );
    });
};
