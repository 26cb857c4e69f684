import type { Locale, Power } from '../locale.ts';
import { longDay, moment, range, shortDay } from './dates.ts';
import { adviceFrom } from '../fault-advice.ts';
import { germanAdvice } from './advice.ts';
import { germanKeys } from './keys.ts';
import { germanMails } from './mails.ts';
import { germanOutages } from './outages.ts';
import { germanPlans } from './plans.ts';

// DIN 5008 and Duden: a point after abbreviations, a non-breaking space before units.
const space = '\u00A0';

const symbols: Readonly<Record<string, string>> = { USD: '$', CNY: 'CN¥', EUR: '€', GBP: '£' };

const powers: readonly Power[] = [
  { exponent: 6, mark: `${space}Mio.` },
  { exponent: 9, mark: `${space}Mrd.` },
  { exponent: 12, mark: `${space}Bio.` },
];

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
  moment,
  list: (items) => items.join(', '),
  sentences: (all) => all.join(' '),
  heading: (title) => title.toUpperCase(),
  labelled: (label, value) => `${label}: ${value}`,
  chart: { day: shortDay, powers },
  mails: germanMails,
  outages: germanOutages,
  keys: germanKeys,
  plans: germanPlans,
  advice: adviceFrom(germanAdvice),
  messages: {
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
    averageOf: (days, period, left) =>
      left === ''
        ? `Durchschnitt ${period}`
        : `Durchschnitt von ${days === 1 ? '1 Tag' : `${days} Tagen`} im Zeitraum ${period}, ohne ${left}: Daten unvollständig`,
    notComparedBefore: (period, day) =>
      `Nicht mit ${period} verglichen: keine Daten vor dem ${day.replace(/\.$/, '')}.`,
    notCompared: {
      incomplete: 'Nicht mit dem Zeitraum davor verglichen: Die Daten dieses Zeitraums sind unvollständig.',
      'nothing-before': 'Im Zeitraum davor gab es keine Kosten zum Vergleich.',
    },
    cause: ({ name, isMany, rise, most, amount, percent }) =>
      `${name} ${isMany ? 'haben' : 'hat'} ${most ? 'den größten Teil' : 'den größten Einzelanteil'} des ${rise ? 'Anstiegs' : 'Rückgangs'} verursacht: ${amount}${percent === '' ? '' : ` (${percent})`}.`,
    budgets: {
      budget: 'Budget',
      spend: 'Kosten',
      used: 'Verbraucht',
      forecast: 'Prognose',
      forecastError: 'Prognose ± üblicher Fehler',
      accuracy: (months, mean, most) =>
        `Die letzten ${months} Prognosen zu diesem Zeitpunkt des Monats wichen im Mittel um ${mean} ab, höchstens um ${most}.`,
      tooEarly: 'zu früh',
      unknown: {
        'no-data': 'keine Daten',
        stale: 'verspätet',
        unit: 'Einheit unbelegt',
        'no-calls': 'keine Aufrufe',
        'starts-late': 'Beginn fehlt',
        'unreadable-rows': 'unlesbar',
        'missing-rows': 'unvollständig',
      },
      spent: (spend, budget) => `${spend} von ${budget}`,
      periods: { day: 'Tag', week: 'Woche', month: 'Monat', quarter: 'Quartal' },
      ofPeriod: (name, period) => `${name} (${period})`,
    },
    changes: {
      factors: {
        volume: { up: 'mehr Aufrufe', down: 'weniger Aufrufe' },
        mix: {
          up: 'Verlagerung zu teureren Modellen und Keys',
          down: 'Verlagerung zu günstigeren Modellen und Keys',
        },
        length: { up: 'längere Aufrufe', down: 'kürzere Aufrufe' },
        cache: { up: 'weniger Eingabe aus dem Cache', down: 'mehr Eingabe aus dem Cache' },
        price: { up: 'höhere Preise', down: 'niedrigere Preise' },
        'unstated-tokens': {
          up: 'längere oder teurere Aufrufe (Tokens nicht angegeben)',
          down: 'kürzere oder günstigere Aufrufe (Tokens nicht angegeben)',
        },
        'fixed-price': {
          up: 'höhere Kosten für Aufrufe zum Festpreis',
          down: 'niedrigere Kosten für Aufrufe zum Festpreis',
        },
        refunds: { up: 'weniger Erstattungen', down: 'mehr Erstattungen' },
      },
      cause: 'Ursache',
      contributors: 'Größter Beitrag',
      amount: 'Betrag',
      total: 'Änderung',
      nothing: 'Es hat sich nichts geändert.',
      main: (isAll, sentence) => `${isAll ? 'Ursache' : 'Hauptursache'}: ${sentence}`,
      contributor: (model, key, state, amount) => {
        const ofKey = key === '' ? 'ohne Key' : `Key ${key}`;
        const who =
          model === undefined
            ? ofKey
            : key === undefined
              ? model
              : `${model} ${key === '' ? ofKey : `mit ${ofKey}`}`;
        const states = {
          new: 'neu',
          gone: 'weggefallen',
          'larger-share': 'größerer Anteil',
          'smaller-share': 'kleinerer Anteil',
        };
        return `${who}${state === undefined ? '' : ` (${states[state]})`}${amount === undefined ? '' : `, ${amount}`}`;
      },
      spikeEnded: (who, day, sentence) =>
        `Ende der Spitze von ${who} am ${day} (${sentence.replace(/\.$/, '')}).`,
      sentence: ({ cause, amount, partOf, offset, who }) => {
        const size =
          partOf === undefined
            ? amount
            : `${partOf.part} ${partOf.isRise ? 'des Anstiegs' : 'des Rückgangs'} um ${partOf.change}`;
        const other = offset === undefined ? '' : `, andere Ursachen gleichen ${offset} aus`;
        return `${cause}, ${size}${other}${who === undefined ? '' : `; größter Beitrag: ${who}`}.`;
      },
    },
    reconciled: 'mit dem Gateway abgeglichen',
    notReconciled: 'NICHT mit dem Gateway abgeglichen',
    spike: (day, amount, times) => `Der ${day} hat ${amount} gekostet, das ${times}-Fache des Tagesmedians.`,
    missingDays: (days, count) =>
      `Keine Daten für ${days}: ${count === 1 ? 'Dieser Tag fehlt, er ist' : 'Diese Tage fehlen, sie sind'} nicht null.`,
    partialDay: (day, moment) => `Der ${day} ist unvollständig: Die Daten reichen bis ${moment}.`,
    uncounted: (kind, rows, amount) =>
      `${amount} in ${rows === '1' ? 'einer Zeile' : `${rows} Zeilen`} der unbekannten Art „${kind}“ zählen nicht als Kosten.`,
    reportWarnings: {
      limit: (table, sql) => ({
        message: `In der Summe von „${table}“ fehlen Zeilen: ${sql} begrenzt das Ergebnis mit LIMIT.`,
        advice:
          'LIMIT entfernen und in report.yaml `limit:` der Tabelle setzen: Die Summe gilt dann für alle Zeilen.',
      }),
      ratio: (table, column, sql) => ({
        message: `Die Summe von „${table}“ addiert Verhältnisse: „${column}“ in ${sql} ist ein Quotient oder ein Mittelwert.`,
        advice: `Beide Größen abfragen und statt \`name: ${column}\` \`quotient: { of: …, by: … }\` schreiben, oder \`total: false\` setzen.`,
      }),
      unknownPeriod: (period, sql) => ({
        message: `${sql} filtert nach dem Zeitraum „${period}“, den es nicht gibt: Keine Zeile passt.`,
        advice:
          "'current' oder 'comparison' verwenden (mit `periods:` in report.yaml auch 'month' und 'history'); welche Tage das sind, bestimmt `period` des Jobs oder `--period`.",
      }),
      undeclaredPeriod: (period, sql) => ({
        message: `${sql} filtert nach dem Zeitraum „${period}“, den der Bericht nicht hat: Keine Zeile passt.`,
        advice: `„${period}“ in report.yaml unter \`periods:\` eintragen.`,
      }),
      mixedPeriods: (sql) => ({
        message: `${sql} addiert den aktuellen Zeitraum und den Vergleichszeitraum.`,
        advice: "WHERE period = 'current' ergänzen oder FILTER (period = 'current') hinter jeder Summe.",
      }),
      sumDiffers: (table, sum, label, headline, sql) => ({
        message: `Die Summe von „${table}“, ${sum}, weicht von „${label}“, ${headline}, ab, obwohl beide dieselben Zeilen betreffen.`,
        advice: `Verknüpfungen und Bedingungen in ${sql} prüfen: Ein JOIN, der mehrere oder keine Zeilen findet, zählt Aufrufe doppelt oder gar nicht. Fehlen Zeilen mit Absicht, \`total: false\` setzen.`,
      }),
      noRows: (title, sql) => ({
        message: `„${title}“ hat keine Zeilen, obwohl es im Zeitraum Aufrufe gibt.`,
        advice: `Bedingungen in ${sql} prüfen oder \`optional: true\` setzen, wenn keine Zeile eine gültige Antwort ist.`,
      }),
    },
    doubtfulAmounts: {
      form: (currency) =>
        `Es ist noch nicht bekannt, ob das Gateway Beträge in ${currency} oder in ganzzahligen Einheiten ausweist; dieser Bericht enthält daher keine Beträge. Zum Festlegen gateway.amounts beim Konto auf units oder currency setzen.`,
      unit: (currency) =>
        `Das Gateway weist Beträge in ganzzahligen Einheiten aus, also Bruchteilen eines US-Dollars. Ein Umrechnungskurs zu ${currency} ist nicht belegt; die Beträge sind daher in USD und werden nicht mit Budgets in ${currency} verglichen. Entspricht 1 ${currency} einer festen Zahl von Einheiten, gateway.units_per_currency beim Konto setzen.`,
    },
    seal: {
      title: 'Signatur',
      closed: (sha256) => [
        `SHA-256 ${sha256}`,
        'Dies ist die Prüfsumme der Datei …-signed.json, die alle Zahlen dieses Monats exakt enthält. Zusammen belegen sie, dass seither keine Zahl geändert wurde; sie belegen nicht, wer die Zahlen erstellt hat oder dass das Log des Gateways stimmt. Eine Neuerstellung aus denselben Daten ergibt dieselbe Prüfsumme.',
      ],
      draft: (reasons) => `ENTWURF, nicht signiert: ${reasons.join('; ')}.`,
      allowed: (verdict) =>
        `Ohne Abgleich abgeschlossen, wie im Job erlaubt (allow: unreconciled). ${verdict}`.trim(),
      isDraft: 'ENTWURF',
      isClosed: 'abgeschlossen',
      reasons: {
        'not-a-month': 'der Zeitraum ist kein ganzer Kalendermonat',
        'not-over': 'der Zeitraum ist noch nicht abgelaufen',
        'not-covered': 'die Daten decken nicht den ganzen Zeitraum ab',
        'not-complete': 'die Zahlen sind unvollständig oder nicht gesichert, wie hier beschrieben',
        'not-reconciled': 'die Summen sind nicht mit dem Gateway abgeglichen, wie hier beschrieben',
      },
    },
    reportMail: {
      filesElsewhere: (names, size, where) =>
        `Die Dateien dieses Berichts (${names}; ${size.replace('.', ',')}) sind zu groß, um angehängt zu werden. Sie liegen unter ${where}`,
      whole: (place) =>
        place === undefined
          ? 'Alle Tabellen und die Hinweise zur Methode stehen im angehängten Bericht.'
          : `Alle Tabellen und die Hinweise zur Methode: ${place}`,
      sentBy: (job, setting) => `Gesendet vom Job ${job}; die Empfänger stehen unter ${setting}.`,
      testMark: '[Test]',
      sentByHand: 'Testmail, gesendet mit tollkeeper report --mail-to; kein Job sendet sie.',
    },
    pdf: {
      page: (at, of) => `Seite ${at} von ${of}`,
      missing: (points) =>
        `Zeichen, die in den Schriften dieser Datei fehlen und als □ erscheinen: ${points}.`,
    },
    barIsDays: (days) => `ein Balken für ${days} Tage`,
    nothingBooked: 'In diesem Zeitraum wurde nichts gebucht.',
    shortened:
      'Die Tabellen sind gekürzt, um die Größe dieser E-Mail zu begrenzen; ausgelassene Zeilen sind in einer Zeile zusammengefasst.',
    chartAlt: ({ title, period, total, highest, lowest, series, missing }) =>
      [
        total === '' ? `${title}, ${period}.` : `${title}, ${period}: gesamt ${total}.`,
        highest === '' ? '' : `Höchstwert ${highest}, niedrigster Wert ${lowest}.`,
        series === '' ? '' : `${series}.`,
        missing === '' ? '' : `Keine Daten: ${missing}.`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    footer: {
      watermark: (moment) => `Die Daten reichen bis ${moment}.`,
      noWatermark: 'Es wurden noch keine Daten abgerufen.',
      since: (moment) => `Die Daten beginnen am ${moment}.`,
      reconciliation: (text) => `Abgleich: ${text}`,
      noReconciliation: 'In diesem Lauf nicht mit der Statistik des Gateways abgeglichen.',
      exact: (label, exact, currency) => `${label}, exakt: ${exact} ${currency}.`,
      units: (currency, zone, from, to) => `Beträge in ${currency}; Tage in ${zone} (${from} bis ${to} UTC).`,
      rounding:
        'Summen und Differenzen werden aus exakten Beträgen gebildet. Angezeigte Werte sind mathematisch gerundet (bei 5 zur geraden Ziffer): Beträge auf 2 Nachkommastellen, unter 0,10 auf zwei signifikante Stellen; Tokens auf drei signifikante Stellen; Anteile ergeben zusammen 100 %. Eine Differenz kann daher geringfügig von der Differenz der angezeigten Beträge abweichen.',
      run: (id) => `Lauf ${id}`,
    },
  },
};
