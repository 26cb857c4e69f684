import { z } from 'zod';
import { formatMoment, unixSeconds } from '../../../../core/index.ts';
import { localeOf } from '../../../../messages/index.ts';
import { priceReasons, type AlertShown, type Condition } from '../../../../monitoring/index.ts';
import { defineAlertRule, goneOf, groupsOf } from '../../rule.ts';
import { textsIn } from './languages.ts';
import { measuredText, priceAlert, priceRecovery, pricesText } from './price-mails.ts';
import { readPrices, type ReadModel } from './read-prices.ts';
import { priceStatus, type PriceStatus } from './stored.ts';

const prefix = 'price-change:';

const modelOf = (alert: string): string => alert.slice(prefix.length);

/** Commands and the page are in English. */
const english = localeOf('en');

const shownOf = (alert: string, { findings, currency }: PriceStatus): AlertShown => {
  const model = modelOf(alert);
  const texts = textsIn(english);
  const [first] = findings;
  const cause = findings
    .map((one) => texts.what[one.reason](model, one.key, pricesText(one, currency, english)))
    .join(' ');
  return {
    alert,
    state: first === undefined || first.first === undefined ? 'wrong' : 'changed',
    tone: 'bad',
    title: 'Price',
    scope: `model ${model}`,
    cells: [
      { title: 'Finding', text: first === undefined ? undefined : texts.title[first.reason](model) },
      {
        title: 'Since',
        text: first?.first === undefined ? undefined : formatMoment(unixSeconds(first.first), 'UTC'),
        spare: 1,
      },
    ],
    texts: { cause, note: english.sentences([cause, measuredText(english)]) },
  };
};

type Read = {
  /** Undefined where the call log does not suffice, or the rule is off. */
  readonly models: readonly ReadModel[] | undefined;
  readonly isOff: boolean;
};

/** A change has its own period, which ends without a mail when the prices are no news any more; what is wrong is so until it is not. */
const conditionsOf = (alert: string, { findings }: PriceStatus): readonly Condition[] =>
  priceReasons.map((reason): Condition => {
    const found = findings.find((one) => one.reason === reason);
    if (found === undefined) return { alert, level: reason, state: 'clear' };
    return {
      alert,
      level: reason,
      state: 'firing',
      ...(found.first === undefined ? {} : { period: String(found.first) }),
    };
  });

/** The prices of models, as their charges show them: changes, and prices that are wrong by themselves. */
export const priceChangeRule = defineAlertRule({
  name: 'price-change',
  settings: {
    price_change: z
      .boolean()
      .prefault(false)
      .describe(
        'Alerts when the charges of a model show other prices than in the seven days before, or than `prices` has, and when tokens are no longer billed.',
      ),
  },
  stored: priceStatus,
  owns: (alert) => alert.startsWith(prefix),
  read: async ({ price_change: isOn }, before, context): Promise<readonly Read[]> => {
    if (!isOn) return [{ models: undefined, isOff: true }];
    return [{ models: await readPrices(before, context), isOff: false }];
  },
  decide: ([read], _settings, before, { firing }) => {
    if (read === undefined || (read.models === undefined && !read.isOff))
      return { conditions: [], stored: new Map() };
    const statuses = new Map(
      (read.models ?? []).map(({ model, status }) => [prefix + model, { status }] as const),
    );
    const gone = goneOf(statuses, before, firing);
    return {
      conditions: [
        ...[...statuses].flatMap(([alert, { status }]) => conditionsOf(alert, status)),
        ...gone.flatMap((alert) => priceReasons.map((level) => ({ alert, level, state: 'clear' }) as const)),
      ],
      stored: new Map([...statuses, ...gone.map((alert) => [alert, undefined] as const)]),
    };
  },
  notices: async (event, records, [read], context) =>
    Promise.resolve(
      groupsOf(records).flatMap((group) => {
        const model = modelOf(group[0].alert);
        if (event === 'recovered')
          // A change that is no news any more, and a rule that is switched off, end without a mail.
          return read?.isOff === true ||
            group.some(({ level }) => level === 'changed' || level === 'unbilled')
            ? []
            : [priceRecovery(group, model, context)];
        const found = read?.models?.find((one) => one.model === model);
        return found === undefined ? [] : priceAlert(group, model, found.status, context);
      }),
    ),
  view: ({ stored }) =>
    [...stored].flatMap(([alert, status]) => (status.findings.length === 0 ? [] : [shownOf(alert, status)])),
});
