import { toSeconds } from '../../core/index.ts';
import type { OutageTexts } from '../outage-texts.ts';
import { counted, day, moment } from './dates.ts';
import { germanRunMessages } from './run-notes.ts';

const formOf = (form: string): string => (form === 'units' ? 'ganzzahligen Einheiten' : 'einer Währung');

const dimensions: Readonly<Record<string, string>> = { model: 'Modell', key: 'Key' };
const askOperator = 'Beim Betreiber des Gateways klären, ob die Änderung beabsichtigt ist.';

export const germanOutages: OutageTexts = {
  at: (at, zone) => moment(toSeconds(at), zone),
  range: ({ start, end }, zone) => `vom ${moment(start, zone)} bis zum ${moment(end, zone)}`,
  period: ({ start, end }, zone) => `${moment(start, zone)} bis ${moment(end, zone)}`,
  job: {
    failed: (job) => `${job} ist fehlgeschlagen`,
    suspended: (job) => `${job} ist angehalten`,
    missed: (job) => `${job} hat einen Slot verpasst`,
    late: (job) => `${job} lief verspätet`,
    recovered: (job) => `${job} läuft wieder`,
  },
  jobs: {
    failed: (count) => counted(count, 'Job ist fehlgeschlagen', 'Jobs sind fehlgeschlagen'),
    suspended: (count) => counted(count, 'Job ist angehalten', 'Jobs sind angehalten'),
    missed: (count) => counted(count, 'Job hat einen Slot verpasst', 'Jobs haben Slots verpasst'),
    late: (count) => counted(count, 'Job lief verspätet', 'Jobs liefen verspätet'),
    recovered: (count) => counted(count, 'Job läuft wieder', 'Jobs laufen wieder'),
  },
  manualRun: (command) => `\`${command}\` führt diesen Slot manuell aus`,
  details: (job) =>
    `\`tollkeeper runs ${job}\` zeigt alle Versuche, \`tollkeeper status\` den Status aller Jobs.`,
  noFurther: (job, isMailed) =>
    `Zu ${job} folgt keine weitere E-Mail, bis der Job wieder läuft.${isMailed ? ' Dann folgt eine E-Mail.' : ''}`,
  closingOfMany: [
    '`tollkeeper status` und `tollkeeper runs JOB` zeigen Einzelheiten.',
    'Zu einem gestörten Job folgt keine weitere E-Mail, bis er wieder läuft.',
  ],
  adminKey: {
    title: (account, days) => `Der Admin-Key von ${account} ist ${counted(days, 'Tag', 'Tage')} alt`,
    what: (issued, due) => `Er wurde am ${day(issued)} ausgestellt und war am ${day(due)} zu ersetzen.`,
    toDo: 'Am Gateway einen neuen Admin-Key ausstellen, ihn dort ablegen, worauf admin_key des Kontos verweist, admin_key_issued auf das Ausstellungsdatum setzen und den alten Key widerrufen. Tollkeeper kann ihn nicht rotieren: Das Gateway lässt nicht zu, dass ein Admin-Key einen Admin-Key ändert.',
    closing: 'Die nächste Erinnerung folgt in 30 Tagen.',
  },
  config: {
    title: (faults) => `Die neue Konfiguration enthält ${faults} Fehler; die bisherige bleibt aktiv`,
    closing: (at) => [
      `Festgestellt: ${at}. Jobs laufen mit der bisherigen Konfiguration weiter. Die neue wird automatisch übernommen, sobald sie korrigiert ist.`,
      '`tollkeeper check` prüft die Konfiguration.',
    ],
  },
  gap: {
    title: (account, isShort) =>
      isShort
        ? `Im Aufruf-Log von ${account} fehlen Kosten`
        : `Das Aufruf-Log von ${account} stimmt nicht mit dem Gateway überein`,
    heading: ({ source, verdict }) =>
      `${germanRunMessages.sources[source]}: ${verdict === 'truncated' ? 'unvollständig' : 'ungeklärt'}`,
    found: ({ gap, unit, verdict }) => {
      if (gap === 'unknown')
        return verdict === 'truncated'
          ? 'Dem Log fehlt ein Betrag in unbekannter Höhe.'
          : 'Die Abweichung ist ungeklärt und ihre Höhe unbekannt: Ob die Quelle Erstattungen abzieht, steht noch nicht fest.';
      const amount = `${gap.replace('-', '').replace('.', ',')} ${unit}`;
      return verdict === 'truncated'
        ? `Dem Log fehlen ${amount}.`
        : `Die Abweichung von ${amount} ist ungeklärt.`;
    },
    short: (compare, again) =>
      `Die fehlenden Zeilen wurden erneut angefordert, auch in kleineren Fenstern (max_requests); abgeschlossene Tage werden automatisch erneut abgerufen (revisit). ${again === undefined ? '' : `\`${again}\` ruft den Zeitraum sofort erneut ab. `}\`${compare}\` zeigt, was noch fehlt.`,
    differs: (compare) =>
      `\`${compare}\` vergleicht alle Quellen mit dem Log, nach Modell und Key. Bleibt die Abweichung ungeklärt, den Betreiber des Gateways kontaktieren.`,
    closing: [
      'Die vom Gateway gelieferten Zeilen sind gespeichert. Berichte über diesen Zeitraum sind als nicht abgeglichen gekennzeichnet.',
      'Zu einer Quelle folgt keine weitere E-Mail, solange die Abweichung besteht.',
    ],
  },
  late: {
    title: (account, range) => `Das Aufruf-Log von ${account} liegt ${range} hinter dem Gateway zurück`,
    what: (sum, pulls) =>
      `Die Summe des Gateways beträgt ${sum.replace('.', ',')}; das Log enthält nach ${counted(pulls, 'Abruf', 'Abrufen')} an verschiedenen Tagen weiterhin weniger.`,
    toDo: '`tollkeeper reconcile` mit diesem Zeitraum ausführen und die Zeilen beim Anbieter anfordern.',
    closing:
      'Der Zeitraum wird erneut abgerufen, wenn sich seine Summe am Gateway ändert. Zu dieser Summe folgt keine weitere E-Mail.',
  },
  learned: {
    title: (account, changes) => `Das Aufruf-Log von ${account} hat sich geändert: ${changes}`,
    counts: {
      'column-appeared': (count) => counted(count, 'neue Spalte', 'neue Spalten'),
      'column-gone': (count) => counted(count, 'entfernte Spalte', 'entfernte Spalten'),
      'amounts-changed': (count) =>
        counted(count, 'Änderung des Betragsformats', 'Änderungen des Betragsformats'),
      'usage-unit': (count) =>
        counted(count, 'Änderung des Nutzungsexports', 'Änderungen des Nutzungsexports'),
      'kind-unknown': (count) => counted(count, 'unbekannte Zeilenart', 'unbekannte Zeilenarten'),
      'rollup-differs': (count) => counted(count, 'Reparatur des Rollups', 'Reparaturen des Rollups'),
    },
    changes: {
      'column-appeared': ({ name, role }) => ({
        heading: `Neue Spalte ${name}`,
        seen:
          role === ''
            ? 'Sie wird mit jeder Zeile als Text gespeichert und ist in keiner Summe enthalten.'
            : `Sie wird als ${role} erkannt und entsprechend gezählt.`,
        toDo: 'Keine erforderlich. Berichte zeigen die Spalten, die sie definieren.',
      }),
      'column-gone': ({ name, role }) => ({
        heading: `Spalte ${name} entfernt`,
        seen:
          role === ''
            ? 'Das Gateway exportiert sie nicht mehr. Vorhandene Werte bleiben erhalten.'
            : `Das Gateway exportiert die als ${role} erkannte Spalte nicht mehr. Ihr Wert ist von nun an unbekannt, nicht null.`,
        toDo: askOperator,
      }),
      'amounts-changed': ({ name, from, form: how }, at) => ({
        heading: `Beträge jetzt in ${formOf(name)}`,
        seen: `Ab dem Fenster vom ${at(from)} exportiert das Gateway Beträge in ${formOf(name)}, wie die Kosten derselben Modelle zeigen. ${
          how === 'stored'
            ? 'Sie werden ohne Umrechnung gespeichert, wie vor der früheren Änderung.'
            : 'Sie werden in die Form der früheren Beträge umgerechnet, damit die Summen richtig bleiben.'
        }`,
        toDo: `${askOperator} Zum Festlegen gateway.amounts beim Konto setzen.`,
      }),
      'usage-unit': ({ name, from, form }, at) => {
        const source = `Nutzungsexport nach ${dimensions[name] ?? name}`;
        return form === 'stored'
          ? {
              heading: `${source} wieder in der früheren Einheit`,
              seen: `Ab dem ${at(from)} werden seine Zahlen ohne Umrechnung gespeichert.`,
              toDo: 'Keine erforderlich.',
            }
          : {
              heading: `${source} jetzt in ${formOf(form)}`,
              seen: `Ab dem ${at(from)} weichen seine Zahlen von den früheren um das Verhältnis zwischen ganzzahligen Einheiten und Währung ab. Sie werden in die Einheit der gespeicherten Zahlen umgerechnet.`,
              toDo: askOperator,
            };
      },
      'kind-unknown': ({ name, evidence }) => ({
        heading: `Unbekannte Zeilenart ${name}`,
        seen: `Beleg: „${evidence}“. Diese Zeilen werden gesondert ausgewiesen und zählen weder als Kosten noch als Erstattungen.`,
        toDo: 'Beim Betreiber des Gateways klären, was diese Zeilen bedeuten. Sind sie Kosten, so sind die ausgewiesenen Kosten zu niedrig.',
      }),
      'rollup-differs': ({ name: zone, days, first }) => ({
        heading: 'Das Rollup wich vom Aufruf-Log ab',
        seen: `${days === 1 ? `Die Summen eines Tages, ${day(first)} (${zone}),` : `Die Summen von ${days.toLocaleString('de')} Tagen, der erste davon ${day(first)} (${zone}),`} wichen von den zugehörigen Aufrufen ab. Sie wurden aus den Aufrufen neu gebildet.`,
        toDo: 'Berichte und Alarme zu diesen Tagen seit dem letzten Vergleich können falsch sein: mit `tollkeeper run` neu erstellen. Ermitteln, was die Datenbank verändert hat: eine nur teilweise wiederhergestellte Kopie, eine von Hand bearbeitete Datei oder ein fehlerhafter Datenträger.',
      }),
    },
    closing: [
      'Abrufe laufen unverändert weiter. `tollkeeper doctor` zeigt alles, was über das Gateway bekannt ist, mit den Belegen.',
      'Zu diesen Änderungen folgt keine weitere E-Mail.',
    ],
  },
};
