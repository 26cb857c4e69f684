import {
  divideMoney,
  formatMoment,
  money,
  multiplyMoney,
  roundMoney,
  unixSeconds,
  type Money,
} from '../../../../core/index.ts';
import { accuracyText, formatMoney, formatPercent, localeOf } from '../../../../messages/index.ts';
import type { AlertCell, AlertShown, Budget } from '../../../../monitoring/index.ts';
import type { BudgetStatus } from './stored.ts';
import { english } from './texts.en.ts';
import { reasonText } from './texts.ts';

/** Commands and the page are in English. */
const locale = localeOf('en');

const tones = { ok: 'good', exceeded: 'bad', forecast: 'warn', unknown: 'warn' } as const;

const percentOf = (part: Money, whole: Money): string | undefined => {
  const share = divideMoney(multiplyMoney(part, money('100')), whole, 4);
  return share === undefined ? undefined : `${roundMoney(share, 0)}%`;
};

const textsOf = (status: BudgetStatus, account: string): AlertShown['texts'] => {
  const { spend, amount, forecast, forecastLow, forecastHigh, reason, zone, scope, currency } = status;
  const at = (seconds: number): string => formatMoment(unixSeconds(seconds), zone);
  const show = (figure: Money | undefined): string | undefined =>
    figure === undefined ? undefined : formatMoney(figure, currency, locale);
  const unknown = reason === undefined ? undefined : reasonText(reason, { scope, account, at }, english);
  return {
    spend: show(spend),
    amount: show(amount),
    forecast: show(forecast),
    ...(forecastLow === undefined || forecastHigh === undefined || forecastLow === forecastHigh
      ? {}
      : { forecastRange: `${show(forecastLow)} to ${show(forecastHigh)}` }),
    ...(status.forecastAccuracy === undefined
      ? {}
      : {
          forecastError: `± ${formatPercent(status.forecastAccuracy.mean, locale)}`,
          forecastAccuracy: accuracyText(status.forecastAccuracy, locale),
        }),
    ...(status.forecastTooEarly === true
      ? { reason: 'forecast: too early; the call log covers less than seven days' }
      : {}),
    ...(unknown === undefined ? {} : { reason: unknown.what, hint: unknown.toDo }),
  };
};

const cellsOf = (status: BudgetStatus | undefined, texts: AlertShown['texts']): readonly AlertCell[] => {
  const { spend, amount, forecast, forecastRange, forecastError } = texts;
  const used = status?.spend === undefined ? undefined : percentOf(status.spend, status.amount);
  return [
    {
      title: 'Spend',
      text: spend === undefined ? undefined : `${status?.reason === undefined ? '' : '≥ '}${spend}`,
      of: amount ?? '-',
    },
    {
      title: 'Used',
      text: used,
      ...(status === undefined
        ? {}
        : {
            meter: {
              value: status.spend,
              of: status.amount,
              forecast: status.forecast,
              currency: status.currency,
            },
          }),
    },
    {
      title: 'Forecast',
      text:
        forecast === undefined
          ? undefined
          : [forecast, forecastError, forecastRange === undefined ? undefined : `(${forecastRange})`]
              .filter((part) => part !== undefined)
              .join(' '),
      spare: 2,
    },
    {
      title: 'Ends',
      text:
        status === undefined
          ? undefined
          : formatMoment(unixSeconds(status.end), status.zone).slice(0, 'YYYY-MM-DD'.length),
      spare: 1,
    },
  ];
};

/** A budget of the configuration as the last evaluation found it. */
export const budgetShown = (
  { name, scope }: Pick<Budget, 'name' | 'scope'>,
  status: BudgetStatus | undefined,
  isFiring: boolean,
  account: string,
): AlertShown => {
  const texts = status === undefined ? {} : textsOf(status, account);
  const unevaluated = isFiring
    ? ({ state: 'unknown', tone: 'warn' } as const)
    : ({ state: 'not-evaluated', tone: 'quiet' } as const);
  return {
    alert: name,
    ...(status === undefined ? unevaluated : { state: status.state, tone: tones[status.state] }),
    title: 'Budget',
    scope: status?.scope,
    team: scope.kind === 'team' ? scope.name : undefined,
    zone: status?.zone,
    cells: cellsOf(status, texts),
    texts: status?.state === 'ok' ? texts : { ...texts, note: texts['forecastAccuracy'] },
    mustBeKnown: status !== undefined,
  };
};

/** The alert on the data of budgets, which fires: their own rows say what is unknown. */
export const dataShown = (alert: string): AlertShown => ({
  alert,
  state: 'unknown',
  tone: 'warn',
  cells: [],
  texts: {},
});
