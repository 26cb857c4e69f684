import { spanOf, toMillis, type UnixMillis } from '../../core/index.ts';
import type { SkipReason } from '../../keys/index.ts';
import { plainReasons, type PlanFacts, type PlanTexts } from '../plan-texts.ts';
import { counted, dative, span } from './dates.ts';
import { noticeText } from './key-reasons.ts';

const skips: Readonly<Record<SkipReason, string>> = {
  'not-due': 'Noch nicht fällig',
  'older-generation': 'Durch einen neueren Key ersetzt',
  unfinished: 'Nie an alle Ablageorte verteilt',
  'in-rotation': 'Wird gerade rotiert',
  'age-unknown': 'Das Gateway meldet das Erstellungsdatum nicht; manuell rotieren',
  'outside-window': 'Außerhalb der Wartungsfenster',
  'over-limit': '`limits.max_per_run` ist erreicht; der Key folgt in einem späteren Lauf',
  'min-remaining': 'Es blieben weniger unveränderte Keys, als `limits.min_remaining` verlangt',
  'name-not-unique': 'Der Name ist nicht eindeutig; das Log zeigt nicht, welcher Key verwendet wird',
  'generation-not-unique': 'Die Generation ist nicht eindeutig',
  'current-unknown': 'Es ist unbekannt, welchen Key die Anwendungen verwenden',
  'sink-unusable': 'Ein Ablageort ist nicht nutzbar',
  'not-ours': 'Nur dem Namen nach ein Key dieses Service',
  'service-unusable': 'Der Name des Service eignet sich nicht für Pfade und Befehle',
  'name-too-long': 'Der Name des nächsten Keys wäre zu lang',
  disabled: 'Der Key ist deaktiviert',
  expired: 'Der Key ist abgelaufen',
  exhausted: 'Das Kontingent ist aufgebraucht; zuerst erhöhen',
  revived: 'Stillgelegt oder zum Ablauf vorgesehen, aber wieder gültig',
  retired: 'Stillgelegt',
  retained: 'Nie verteilt, aber erhalten, weil er in Gebrauch sein kann',
  used: 'In Gebrauch; `even_if_used: true` beendet den Key dennoch',
  current: 'Ein Ablageort enthält den Key; `even_if_current: true` beendet ihn dennoch',
  'clock-skew': 'Abweichende Uhren verhindern den Nachweis der Nichtnutzung',
  unreadable: 'Eine Angabe des Gateways ist nicht lesbar; dort berichtigen',
  'log-incomplete': 'Das Aufruf-Log ist unvollständig',
  'inventory-incomplete': 'Kein Key-Inventar deckt den Zeitraum ab; ein Job der Art snapshot erstellt es',
};

const rotation = ({ service, isSplit, terms }: Extract<PlanFacts, { kind: 'rotate' }>): string => {
  const { retire, overlap } = terms;
  const [verb, rest] = retire.ending === 'delete' ? ['wird', 'gelöscht'] : ['läuft', 'ab'];
  const after = `nach ${dative(spanOf(overlap))}`;
  const when =
    retire.when === 'unused'
      ? `${rest}, sobald das Log ${span(spanOf(retire.quiet))} lang keinen Aufruf mit ihm zeigt, frühestens ${after}`
      : `${after} ${rest}`;
  return `${isSplit ? 'Seit die letzte Rotation aufgegeben wurde, liegen an den Ablageorten möglicherweise verschiedene Keys. ' : ''}Ein neuer Key von ${service} wird erstellt, geprüft und verteilt; der alte Key ${verb} ${when}.`;
};

const due = ({ clock, passed }: Extract<PlanFacts, { kind: 'end' }>): string => {
  const length = span(spanOf(passed));
  if (clock === 'age') return `mindestens ${length} alt`;
  if (clock === 'idle') return `${length} lang nicht verwendet`;
  return clock === 'expired'
    ? `seit mindestens ${dative(spanOf(passed))} abgelaufen`
    : `aufgebraucht und ${length} lang nicht verwendet`;
};

const end = (facts: Extract<PlanFacts, { kind: 'end' }>, at: (moment: UnixMillis) => string): string => {
  const { action } = facts;
  if (action.kind === 'delete') return `Der Key wird endgültig gelöscht (${due(facts)}).`;
  if (action.kind === 'expire')
    return 'at' in action
      ? `Der Key läuft am ${at(toMillis(action.at))} ab (${due(facts)}).`
      : `Der Key läuft sofort ab (${due(facts)}).`;
  const { notice, stage } = action;
  return `Das zuständige Team wird benachrichtigt (${due(facts)}): ${notice === undefined ? stage : noticeText(notice, at)}`;
};

const kinds = [
  ['rotate', 'zu rotieren'],
  ['warn', 'mit Hinweis an das zuständige Team'],
  ['expire', 'mit Ablaufdatum zu versehen'],
  ['delete', 'zu löschen'],
] as const;

export const germanPlans: PlanTexts = {
  title: ({ skipped, ...planned }) => {
    const parts = kinds.flatMap(([kind, label]) => {
      const { [kind]: count } = planned;
      return count === undefined ? [] : [`${counted(count, 'Key', 'Keys')} ${label}`];
    });
    const more = skipped === 0 ? [] : [`${skipped.toLocaleString('de')} übersprungen`];
    return `Plan: ${[...(parts.length === 0 ? ['kein Key zu beenden'] : parts), ...more].join(', ')}`;
  },
  planned: (facts, at) => (facts.kind === 'rotate' ? rotation(facts) : end(facts, at)),
  skipped: (reason, message, at) => {
    if (plainReasons.has(reason)) return `${skips[reason]}.`;
    if (at === undefined) return `${skips[reason]} (${message})`;
    return `${skips[reason]}; ${reason === 'used' ? `letzter Aufruf am ${at}` : `das nächste beginnt am ${at}`}.`;
  },
  age: (millis) => span(spanOf(millis)),
  more: (count) => `… und ${counted(count, 'weiterer Key', 'weitere Keys')}.`,
  usual: (count) =>
    `${counted(count, 'weiterer Key wird', 'weitere Keys werden')} wie vorgesehen übersprungen: noch nicht fällig, in Rotation oder durch einen neueren Key ersetzt.`,
  closing: (job, account, at) => [
    `Plan des Jobs ${job}, Konto ${account}, erstellt am ${at}. Es wurde nichts geändert.`,
    `\`tollkeeper keys plan ${job} -o plan.json\` schreibt ihn in eine Datei, \`tollkeeper keys apply plan.json\` führt ihn aus.`,
    'Mit `mode: apply` führt der Job ihn automatisch aus.',
  ],
  recipients: (job) => `mail.to des Jobs ${job}`,
  blocked: {
    current: (service) => ({
      title: `Die Keys von ${service} werden nicht rotiert: Es ist unbekannt, welchen die Anwendungen verwenden`,
      advice: '`tollkeeper keys rotate id:N` mit der ID des Keys ausführen, der ersetzt werden soll.',
    }),
    name: (name, word, job) => ({
      title: `Der Key ${name} kann wegen seines Namens nicht rotiert werden`,
      advice: `\`tollkeeper keys adopt ${word} --service SHORTER --generation 1 --move\` ausführen oder im Job ${job} eine kürzere Vorlage \`name\` setzen.`,
    }),
    closing: 'Bis dahin bleibt der Key gültig und erhält keinen Nachfolger. Dazu folgt keine weitere E-Mail.',
  },
};
