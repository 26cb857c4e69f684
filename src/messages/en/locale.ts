import type { Locale, Power } from '../locale.ts';
import { longDay, moment, range, shortDay } from './dates.ts';
import { englishKeys } from './keys.ts';
import { englishMails } from './mails.ts';
import { englishOutages } from './outages.ts';
import { englishPlans } from './plans.ts';

const symbols: Readonly<Record<string, string>> = { USD: '$', CNY: '¥', EUR: '€', GBP: '£' };

const powers: readonly Power[] = [
  { exponent: 3, mark: 'k' },
  { exponent: 6, mark: 'M' },
  { exponent: 9, mark: 'B' },
  { exponent: 12, mark: 'T' },
];

export const english: Locale = {
  tag: 'en',
  lang: 'en',
  decimalMark: '.',
  groupMark: ',',
  amount: (currency, digits, negative) =>
    `${negative ? '-' : ''}${symbols[currency] ?? `${currency} `}${digits}`,
  percent: (digits) => `${digits}%`,
  powers,
  shortDay,
  longDay,
  range,
  moment,
  list: (items) => items.join(', '),
  sentences: (all) => all.join(' '),
  heading: (title) => title.toUpperCase(),
  labelled: (label, value) => `${label}: ${value}`,
  chart: { day: shortDay, powers },
  mails: englishMails,
  outages: englishOutages,
  keys: englishKeys,
  plans: englishPlans,
  advice: (_, given) => given,
  messages: {
    total: 'Total',
    spend: 'Spend',
    other: 'other',
    otherRows: (count) => `${count} more`,
    noData: 'no data',
    noDataYet: 'No data yet',
    amountsUnknown: 'Amounts unknown',
    incomplete: 'incomplete',
    isNew: 'new',
    unnamed: '(no name)',
    unassigned: 'unassigned',
    units: { day: ' d', hour: ' h', minute: ' min', second: ' s' },
    moreLooks: (count) => `${count} more.`,
    wholeAccount: (good) =>
      good
        ? 'The account as a whole is reconciled with the gateway’s statistics.'
        : 'The account as a whole is not reconciled with the gateway’s statistics.',
    up: (percent) => `up ${percent}`,
    down: (percent) => `down ${percent}`,
    unchanged: 'unchanged',
    versus: (amount, period) => `vs ${amount} (${period})`,
    averageOf: (days, period, left) =>
      left === ''
        ? `average of ${period}`
        : `average of ${days === 1 ? '1 day' : `${days} days`} of ${period}, without ${left}: data incomplete`,
    notComparedBefore: (period, day) => `Not compared with ${period}: no data before ${day}.`,
    notCompared: {
      incomplete: 'Not compared with the period before: the data of this period is incomplete.',
      'nothing-before': 'No spend in the period before to compare with.',
    },
    cause: ({ name, isMany, rise, most, amount, percent }) =>
      `${name} ${isMany ? (most ? 'explain most of' : 'contribute most to') : most ? 'drove most of' : 'contributed most to'} the ${rise ? 'increase' : 'decrease'}: ${amount}${percent === '' ? '' : ` (${percent})`}.`,
    budgets: {
      budget: 'Budget',
      spend: 'Spend',
      used: 'Used',
      forecast: 'Forecast',
      forecastError: 'Forecast ± usual error',
      accuracy: (months, mean, most) =>
        `The last ${months} forecasts at this point of the month were off by ${mean} on average, at most ${most}.`,
      tooEarly: 'too early',
      unknown: {
        'no-data': 'no data',
        stale: 'data is late',
        unit: 'unit not proven',
        'no-calls': 'no calls in this period',
        'starts-late': 'data begins later',
        'unreadable-rows': 'unreadable rows',
        'missing-rows': 'missing charges',
      },
      spent: (spend, budget) => `${spend} of ${budget}`,
      periods: { day: 'day', week: 'week', month: 'month', quarter: 'quarter' },
      ofPeriod: (name, period) => `${name} (${period})`,
    },
    changes: {
      factors: {
        volume: { up: 'more calls', down: 'fewer calls' },
        mix: { up: 'shift to costlier models and keys', down: 'shift to cheaper models and keys' },
        length: { up: 'longer calls', down: 'shorter calls' },
        cache: { up: 'less cached input', down: 'more cached input' },
        price: { up: 'higher unit prices', down: 'lower unit prices' },
        'unstated-tokens': {
          up: 'longer or costlier calls (tokens not stated)',
          down: 'shorter or cheaper calls (tokens not stated)',
        },
        'fixed-price': { up: 'more spend on fixed-price calls', down: 'less spend on fixed-price calls' },
        refunds: { up: 'fewer refunds', down: 'more refunds' },
      },
      cause: 'Cause',
      contributors: 'Largest contributor',
      amount: 'Amount',
      total: 'Change',
      nothing: 'Nothing has changed.',
      main: (isAll, sentence) => `${isAll ? 'Cause' : 'Main cause'}: ${sentence}`,
      contributor: (model, key, state, amount) => {
        const ofKey = key === '' ? 'without a key' : `key ${key}`;
        const who =
          model === undefined
            ? ofKey
            : key === undefined
              ? model
              : `${model} ${key === '' ? ofKey : `on ${ofKey}`}`;
        return `${who}${state === undefined ? '' : ` (${state.replace('-', ' ')})`}${amount === undefined ? '' : `, ${amount}`}`;
      },
      spikeEnded: (who, day, sentence) =>
        `the spike of ${who} on ${day} ended (${sentence.replace(/\.$/, '')}).`,
      sentence: ({ cause, amount, partOf, offset, who }) => {
        const size =
          partOf === undefined
            ? amount
            : `${partOf.part} of the ${partOf.change} ${partOf.isRise ? 'increase' : 'decrease'}`;
        const other = offset === undefined ? '' : `, offset by ${offset} from other causes`;
        return `${cause}, ${size}${other}${who === undefined ? '' : `; largest contributor: ${who}`}.`;
      },
    },
    reconciled: 'reconciled with the gateway',
    notReconciled: 'NOT reconciled with the gateway',
    spike: (day, amount, times) => `${day} cost ${amount}, ${times} times the median day.`,
    missingDays: (days, count) =>
      `No data for ${days}: ${count === 1 ? 'this day is' : 'these days are'} missing, not zero.`,
    partialDay: (day, moment) => `${day} is incomplete: data ends at ${moment}.`,
    uncounted: (kind, rows, amount) =>
      `${amount} in ${rows === '1' ? 'one row' : `${rows} rows`} of the unknown kind “${kind}” is not counted as spend.`,
    reportWarnings: {
      limit: (table, sql) => ({
        message: `The total of “${table}” omits rows: ${sql} truncates the result with LIMIT.`,
        advice:
          'Remove LIMIT and set `limit:` of the table in report.yaml: the total is then that of all rows.',
      }),
      ratio: (table, column, sql) => ({
        message: `The total of “${table}” adds up ratios: “${column}” of ${sql} is divided or averaged.`,
        advice: `Select both figures and write \`quotient: { of: …, by: … }\` in place of \`name: ${column}\`, or set \`total: false\`.`,
      }),
      unknownPeriod: (period, sql) => ({
        message: `${sql} filters on the period “${period}”, which does not exist: no row matches.`,
        advice:
          "Use 'current' or 'comparison' (or 'month' and 'history' with `periods:` in report.yaml); which days they are is set by `period` of the job or `--period`.",
      }),
      undeclaredPeriod: (period, sql) => ({
        message: `${sql} filters on the period “${period}”, which the report does not have: no row matches.`,
        advice: `Add “${period}” to \`periods:\` in report.yaml.`,
      }),
      mixedPeriods: (sql) => ({
        message: `${sql} adds up the current period and the period it is compared with.`,
        advice: "Add WHERE period = 'current', or FILTER (period = 'current') behind each sum.",
      }),
      sumDiffers: (table, sum, label, headline, sql) => ({
        message: `The total of “${table}”, ${sum}, differs from “${label}”, ${headline}, although both cover the same rows.`,
        advice: `Check the joins and conditions in ${sql}: a JOIN that matches several rows, or none, counts calls twice or not at all. Set \`total: false\` if it omits rows on purpose.`,
      }),
      noRows: (title, sql) => ({
        message: `“${title}” has no rows although the period has calls.`,
        advice: `Check the conditions in ${sql}, or set \`optional: true\` if an empty result is valid.`,
      }),
    },
    doubtfulAmounts: {
      form: (currency) =>
        `It is not yet known whether the gateway writes amounts in ${currency} or in integer units, so this report contains no amounts. To specify it, set gateway.amounts of the account to units or currency.`,
      unit: (currency) =>
        `The gateway writes amounts in integer units, which are fractions of a US dollar. No conversion rate to ${currency} is verified, so amounts are in USD, and budgets in ${currency} are not compared with them. If 1 ${currency} equals a fixed number of units, set gateway.units_per_currency of the account.`,
    },
    seal: {
      title: 'Signature',
      closed: (sha256) => [
        `SHA-256 ${sha256}`,
        'This is the checksum of the file …-signed.json, which contains the exact figures of this month. Together they prove that no figure was changed afterwards; they do not prove who created them, or that the gateway’s own log is correct. A rebuild from the same data gives the same checksum.',
      ],
      draft: (reasons) => `DRAFT, not signed: ${reasons.join('; ')}.`,
      allowed: (verdict) =>
        `Closed without reconciliation, as the job allows (allow: unreconciled). ${verdict}`.trim(),
      isDraft: 'DRAFT',
      isClosed: 'closed',
      reasons: {
        'not-a-month': 'the period is not one whole calendar month',
        'not-over': 'the period is not over',
        'not-covered': 'the data does not cover the whole period',
        'not-complete': 'figures are incomplete or in doubt, as described here',
        'not-reconciled': 'the sums are not reconciled with the gateway, as described here',
      },
    },
    reportMail: {
      filesElsewhere: (names, size, where) =>
        `The files of this report (${names}; ${size}) are too large to be attached. They are kept in ${where}`,
      whole: (place) =>
        place === undefined
          ? 'All tables and the notes on the method are in the attached report.'
          : `All tables and the notes on the method: ${place}`,
      sentBy: (job, setting) => `Sent by job ${job}; its recipients are set by ${setting}.`,
      testMark: '[Test]',
      sentByHand: 'Test mail, sent with tollkeeper report --mail-to; no job sends it.',
    },
    pdf: {
      page: (at, of) => `Page ${at} of ${of}`,
      missing: (points) => `Characters without a glyph in the fonts of this file, shown as □: ${points}.`,
    },
    barIsDays: (days) => `one bar for ${days} days`,
    nothingBooked: 'No charges in this period.',
    shortened: 'Tables are shortened to limit the size of this mail; omitted rows are summed in one row.',
    chartAlt: ({ title, period, total, highest, lowest, series, missing }) =>
      [
        total === '' ? `${title}, ${period}.` : `${title}, ${period}: total ${total}.`,
        highest === '' ? '' : `Highest ${highest}, lowest ${lowest}.`,
        series === '' ? '' : `${series}.`,
        missing === '' ? '' : `No data: ${missing}.`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    footer: {
      watermark: (moment) => `Data is available up to ${moment}.`,
      noWatermark: 'No data has been pulled yet.',
      since: (moment) => `Data begins at ${moment}.`,
      reconciliation: (text) => `Reconciliation: ${text}`,
      noReconciliation: 'Not reconciled with the gateway’s statistics in this run.',
      exact: (label, exact, currency) => `${label}, exact: ${exact} ${currency}.`,
      units: (currency, zone, from, to) => `Amounts in ${currency}; days in ${zone} (${from} to ${to} UTC).`,
      rounding:
        'Sums and differences are computed from exact amounts. Displayed values are rounded half to even: amounts to 2 decimals, below 0.10 to two significant digits; tokens to three significant digits; shares add up to 100%. A difference may therefore deviate slightly from that of the displayed amounts.',
      run: (id) => `Run ${id}`,
    },
  },
};
