import type { RunMessages } from '../run-notes.ts';

/** Amounts of the comparison are exact; they keep all digits, with a decimal comma. */
const comma = (amount: string): string => amount.replace('.', ',');

export const germanRunMessages: RunMessages = {
  needed: (job, reaches, isSuspended) =>
    `${job} ${reaches === undefined ? 'hat noch keine Daten' : `reicht bis zum ${reaches}`}${isSuspended ? ' und ist angehalten' : ''}`,
  late: (needed, through, watermark) =>
    `Die Daten sind verspätet: ${needed.join('; ')}; benötigt werden Daten bis zum ${through}. ${watermark === undefined ? 'Es wurde noch kein Aufruf-Log abgerufen.' : `Das Aufruf-Log reicht bis zum ${watermark}.`}`,
  unread: (rows) =>
    rows === 1
      ? 'Eine Zeile des Aufruf-Logs konnte nicht gelesen werden und ist in keiner Zahl enthalten.'
      : `${rows} Zeilen des Aufruf-Logs konnten nicht gelesen werden und sind in keiner Zahl enthalten.`,
  afterWatermark: (calls) =>
    calls === 1
      ? 'Die Zahlen enthalten einen Aufruf nach dem Ende der Daten. Aus dieser Zeit können Aufrufe fehlen: Sie wird erneut abgerufen.'
      : `Die Zahlen enthalten ${calls} Aufrufe nach dem Ende der Daten. Aus dieser Zeit können weitere fehlen: Sie wird erneut abgerufen.`,
  unclear: (rows) =>
    rows === 1
      ? 'Die Aufrufe enthalten eine Zeile ohne Kosten und ohne Tokens, die ein Fehler sein kann: Keine Spalte des Log-Exports nennt ihre Art.'
      : `Die Aufrufe enthalten ${rows} Zeilen ohne Kosten und ohne Tokens, die Fehler sein können: Keine Spalte des Log-Exports nennt ihre Art.`,
  unmatched: (names, pattern) =>
    names === 'key' || names === 'model'
      ? `Kein ${names === 'key' ? 'Key' : 'Modell'} passt zu „${pattern}“`
      : `Kein Key hat den Tag ${names} „${pattern}“`,
  unmatchedNote: (clause, similar) =>
    `${clause}.${similar.length === 0 ? '' : ` Ähnliche Namen: ${similar.join(', ')}.`}`,
  notCompared: (reason) => `Nicht mit dem Gateway verglichen: ${reason}`,
  part: (from, to) => `Verglichen wurde, was das Log enthält: von ${from} bis ${to}.`,
  sources: {
    statistics: 'Statistik des Gateways',
    'usage by model': 'Nutzungsexport nach Modell',
    'usage by key': 'Nutzungsexport nach Key',
    used_quota: 'Änderung von used_quota',
    balance: 'Änderung des Guthabens',
  },
  ofEntry: (source, entry) => `${source} für ${entry === '' ? 'Einträge ohne Namen' : entry}`,
  unknownGap: 'Ihre Höhe ist nicht bekannt: Noch ist offen, ob diese Quelle Erstattungen abzieht.',
  verdicts: {
    equal: ({ theirs, reading, unit }) =>
      `Die Summe des Logs ist gleich (${theirs}): ${comma(reading)} ${unit}.`,
    rounding: ({ theirs, reading, unit, gap }) =>
      `Die Summe des Logs ist bis auf Rundung gleich (${theirs}): ${comma(reading)} ${unit}, Abweichung ${comma(gap)}.`,
    refunds: ({ theirs, reading, unit }) =>
      `Der Verbrauch des Logs ist gleich (${theirs}): ${comma(reading)} ${unit}; Erstattungen sind dort nicht abgezogen.`,
    currency: ({ theirs, reading, ours, unit }) =>
      `Die Summe des Logs ist umgerechnet gleich (${theirs}): dort ${comma(reading)}, hier ${comma(ours)} (${unit}).`,
    'late data': ({ theirs, reading, ours, unit, gap }) =>
      `${theirs}: ${comma(reading)} ${unit}, Summe des Logs ${comma(ours)}; die Abweichung${gap === '' ? '' : ` von ${comma(gap)}`} entsteht durch verspätete Daten.`,
    truncated: ({ theirs, reading, ours, unit, gap }) =>
      `Das Log ist unvollständig: ${theirs} ${comma(reading)} ${unit}, Summe des Logs ${comma(ours)}, ${gap === '' ? 'es fehlen Kosten' : `es fehlen ${comma(gap)}`}.`,
    unexplained: ({ theirs, reading, ours, unit, gap }) =>
      `${theirs}: ${comma(reading)} ${unit}, Summe des Logs ${comma(ours)}; die Abweichung${gap === '' ? '' : ` von ${comma(gap)}`} ist ungeklärt.`,
  },
};
