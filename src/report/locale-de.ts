import type { LocalDate } from '../base/index.ts';
import { partsOf } from './locale-dates.ts';
import type { Locale, Power } from './locale.ts';

// DIN 5008 and Duden: a point behind what is cut short, a space before units; they stay on one line with their number.
const space = '\u00A0';

const weekdays = ['So.', 'Mo.', 'Di.', 'Mi.', 'Do.', 'Fr.', 'Sa.'];
const symbols: Readonly<Record<string, string>> = { USD: '$', CNY: 'CN¥', EUR: '€', GBP: '£' };

const powers: readonly Power[] = [
  { exponent: 6, mark: `${space}Mio.` },
  { exponent: 9, mark: `${space}Mrd.` },
  { exponent: 12, mark: `${space}Bio.` },
];

const shortDay = (date: LocalDate): string => `${date.slice(8, 10)}.${date.slice(5, 7)}.`;

const longDay = (date: LocalDate): string => {
  const { weekday, year } = partsOf(date);
  return `${weekdays[weekday] ?? ''}, ${shortDay(date)}${year}`;
};

const range = (first: LocalDate, last: LocalDate): string => {
  if (first === last) return longDay(first);
  const [from, to] = [partsOf(first), partsOf(last)];
  if (from.year !== to.year) return `${shortDay(first)}${from.year} – ${shortDay(last)}${to.year}`;
  if (from.month !== to.month) return `${shortDay(first)} – ${shortDay(last)}${to.year}`;
  return `${first.slice(8)}.–${shortDay(last)}${to.year}`;
};

export const german: Locale = {
  tag: 'de',
  lang: 'de',
  decimalMark: ',',
  groupMark: '.',
  amount: (currency, digits, negative) =>
    `${negative ? '-' : ''}${digits}${space}${symbols[currency] ?? currency}`,
  percent: (digits) => `${digits}${space}%`,
  powers,
  shortDay,
  longDay,
  range,
  list: (items) => items.join(', '),
  heading: (title) => title.toUpperCase(),
  labelled: (label, value) => `${label}: ${value}`,
  chart: { day: shortDay, powers },
  words: {
    total: 'Summe',
    spend: 'Kosten',
    other: 'übrige',
    otherRows: (count) => (count === 1 ? '1 weitere Zeile' : `${count} weitere Zeilen`),
    noData: 'keine Daten',
    noDataYet: 'Noch keine Daten',
    amountsUnknown: 'Beträge unbekannt',
    incomplete: 'unvollständig',
    isNew: 'neu',
    unnamed: '(ohne Namen)',
    unassigned: 'nicht zugeordnet',
    units: { day: ' d', hour: ' h', minute: ' min', second: ' s' },
    moreLooks: (count) => `${count} weitere.`,
    wholeAccount: (good) =>
      good
        ? 'Das ganze Konto ist mit der Statistik des Gateways abgeglichen.'
        : 'Das ganze Konto ist nicht mit der Statistik des Gateways abgeglichen.',
    up: (percent) => `${percent} mehr`,
    down: (percent) => `${percent} weniger`,
    unchanged: 'unverändert',
    versus: (amount, period) => `gegenüber ${amount} (${period})`,
    notComparedBefore: (period, day) =>
      `Nicht mit ${period} verglichen: keine Daten vor dem ${day.replace(/\.$/, '')}.`,
    notCompared: {
      incomplete: 'Nicht mit dem Zeitraum davor verglichen: Die Daten dieses Zeitraums sind unvollständig.',
      'nothing-before': 'Im Zeitraum davor gab es keine Kosten zum Vergleich.',
    },
    cause: ({ name, rise, most, amount, percent }) =>
      `${name} hat ${most ? 'den größten Teil des' : 'von allen den größten Anteil des'} ${rise ? 'Anstiegs' : 'Rückgangs'} verursacht: ${amount}${percent === '' ? '' : ` (${percent})`}.`,
    reconciled: 'mit dem Gateway abgeglichen',
    notReconciled: 'NICHT mit dem Gateway abgeglichen',
    spike: (day, amount, times) =>
      `Der ${day} hat ${amount} gekostet, das ${times}-Fache des mittleren Tages.`,
    missingDays: (days, count) =>
      `Keine Daten für ${days}: ${count === 1 ? 'Dieser Tag fehlt, er ist' : 'Diese Tage fehlen, sie sind'} nicht null.`,
    partialDay: (day, moment) => `Der ${day} ist unvollständig: Die Daten reichen bis ${moment}.`,
    uncounted: (kind, rows, amount) =>
      `${amount} in ${rows === '1' ? 'einer Zeile' : `${rows} Zeilen`} der unbekannten Art „${kind}“ zählen nicht als Kosten.`,
    doubtfulAmounts: {
      form: (currency) =>
        `Noch belegt nichts, ob das Gateway Beträge in ${currency} oder in ganzen Einheiten schreibt; dieser Bericht nennt daher keine Beträge. Zum Festlegen gateway.amounts beim Konto auf units oder currency setzen.`,
      unit: (currency) =>
        `Das Gateway schreibt Beträge in ganzen Einheiten, also Teilen eines US-Dollars. Kein Kurs zu ${currency} ist belegt; die Beträge sind daher in USD und werden nicht mit Budgets in ${currency} verglichen. Wenn 1 ${currency} eine feste Zahl von Einheiten ist, gateway.units_per_currency beim Konto setzen.`,
    },
    seal: {
      title: 'Signatur',
      closed: (sha256) => [
        `SHA-256 ${sha256}`,
        'So die Datei …-signed.json, die jede Zahl dieses Monats mit allen Stellen enthält. Wer beides hat, kann prüfen, dass seither keine Zahl geändert wurde; wer sie erstellt hat und ob das Protokoll des Gateways stimmt, sagt sie nicht. Aus denselben Daten neu erstellt ist sie dieselbe.',
      ],
      draft: (reasons) => `ENTWURF, nicht signiert: ${reasons.join('; ')}.`,
      isDraft: 'ENTWURF',
      isClosed: 'abgeschlossen',
      reasons: {
        'not-a-month': 'der Zeitraum ist kein ganzer Kalendermonat',
        'not-over': 'der Zeitraum ist nicht vorbei',
        'not-covered': 'die Daten decken nicht den ganzen Zeitraum ab',
        'not-complete': 'in den Zahlen fehlt etwas oder ist zweifelhaft, wie hier gesagt',
      },
    },
    barIsDays: (days) => `ein Balken für ${days} Tage`,
    nothingBooked: 'In diesem Zeitraum wurde nichts gebucht.',
    shortened:
      'Die Tabellen sind gekürzt, damit diese Mail klein bleibt; was fehlt, ist in einer Zeile zusammengezählt.',
    chartAlt: ({ title, period, total, highest, lowest, series, missing }) =>
      [
        total === '' ? `${title}, ${period}.` : `${title}, ${period}: zusammen ${total}.`,
        highest === '' ? '' : `Am höchsten ${highest}, am niedrigsten ${lowest}.`,
        series === '' ? '' : `${series}.`,
        missing === '' ? '' : `Keine Daten: ${missing}.`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    footer: {
      reach: (moment) => `Die Daten reichen bis ${moment}.`,
      noReach: 'Es wurden noch keine Daten geholt.',
      since: (moment) => `Die Daten beginnen am ${moment}.`,
      reconciliation: (text) => `Abgleich: ${text}`,
      noReconciliation: 'In diesem Lauf nicht mit der Statistik des Gateways abgeglichen.',
      exact: (label, exact, currency) => `${label}, genau: ${exact} ${currency}.`,
      units: (currency, zone, from, to) => `Beträge in ${currency}; Tage in ${zone} (${from} bis ${to} UTC).`,
      rounding:
        'Summen sind aus genauen Beträgen gebildet. Gezeigt wird kaufmännisch gerade gerundet (halbe Stellen zur geraden Ziffer): Beträge auf 2 Stellen, unter 0,10 auf zwei gültige Ziffern; Tokens auf drei Ziffern; Anteile ergeben zusammen 100 %.',
      run: (id) => `Lauf ${id}`,
    },
  },
};
