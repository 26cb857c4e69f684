import { hoursText, startOfMinute, toMillis } from '../../core/index.ts';
import type { KeyTexts } from '../key-texts.ts';
import { counted } from './dates.ts';
import {
  both,
  calls,
  comma,
  endText,
  heldText,
  heldTitle,
  noticeText,
  retainTexts,
  standingOf,
  states,
} from './key-reasons.ts';

const times = (olds: number): string => (olds === 1 ? 'Doppelte' : `${olds + 1}-Fache`);

export const germanKeys: KeyTexts = {
  events: {
    exposure: ({ name, quota, sum, olds }, { service }) => ({
      title: `${service} kann vorübergehend das ${times(olds.length)} seines Kontingents verbrauchen`,
      message: `Zusätzlich zum Kontingent von ${name} (${comma(quota)}) können mit ${olds.map((old) => `${old.name} (${comma(old.remain)})`).join(', ')} insgesamt ${comma(sum)} verbraucht werden (in der Einheit des Gateways), bis ${olds.length === 1 ? 'dieser Key stillgelegt ist' : 'diese Keys stillgelegt sind'}. Was bis dahin verbraucht wird, wird von ${name} abgezogen; höchstens ist es also das ${times(olds.length)} des Kontingents.`,
    }),
    'quota-used-up': ({ name, old }) => ({
      title: `Das Kontingent von ${name} ist aufgebraucht`,
      message: `Der Verbrauch von ${old} während der Überlappung hat das Kontingent von ${name} aufgebraucht. ${name} liegt an allen Ablageorten; Aufrufe mit diesem Key schlagen fehl.`,
      advice: `Das Kontingent von ${name} am Gateway erhöhen, falls der Key noch benötigt wird.`,
    }),
    'quota-not-adjusted': ({ name, old, why }) => ({
      title: `Das Kontingent von ${name} wurde nicht angepasst`,
      message: `Der Verbrauch des kompromittierten Keys ${old} konnte nicht von ${name} abgezogen werden (${why}). ${old} wird dennoch gelöscht.`,
    }),
    'taken-away': ({ name }, { service }) => ({
      title: `Der neue Key ${name} wurde außerhalb von Tollkeeper gelöscht`,
      message: `${name} ist der neue Key von ${service} und liegt möglicherweise schon an Ablageorten. Es wird ein weiterer Key erstellt; kein alter Key wird stillgelegt, bevor dieser an allen Ablageorten liegt.`,
      advice:
        'Ermitteln, wer den Key gelöscht hat. Aufrufe mit ihm schlagen fehl, bis sein Nachfolger verteilt ist.',
    }),
    'still-there': ({ name, keyId, since }, { at }) => ({
      title: `Der Key ${name} existiert nach seiner Löschung weiter`,
      message: `Das Löschen von ${name} (ID ${keyId}) wurde am ${at(since)} angefordert, aber das Gateway listet den Key weiterhin auf. Die Anforderung wird in jedem Zyklus wiederholt.`,
      advice: 'Den Key am Gateway prüfen und manuell löschen, falls er noch funktioniert.',
    }),
    'orphan-deleted': ({ name }) => ({
      title: 'Ein verwaister Key wurde gelöscht',
      message: `${name} wurde durch eine Anforderung erstellt, deren Antwort verloren ging, und erschien erst verspätet in der Liste des Gateways.`,
    }),
    'orphan-retained': ({ name, keyId, identified, reason, facts }, { service, at }) => ({
      title: identified
        ? `Der Key ${name} bleibt erhalten: Er ist möglicherweise in Gebrauch`
        : `Es ist unbekannt, wem der Key ${name} gehört`,
      message: `${name} (ID ${keyId}) wurde von einer Rotation von ${service} angefordert und laut Journal nicht verteilt. Der Key wird nicht gelöscht: ${retainTexts[reason](facts, name, at)}`,
      advice: `Ermitteln, wer den Key verwendet. Einen ungenutzten Key beendet \`tollkeeper keys expire id:${keyId}\`.`,
    }),
    outdated: ({ differences, stated }, { service, word }) => ({
      title: `Key-Vorgänge für ${service} sind ausgesetzt: Das Journal ist veraltet`,
      message: `${
        differences === undefined
          ? `Das Journal ist älter als der tatsächliche Stand (${stated.join('; ')}).`
          : `Das Journal ist älter als der tatsächliche Stand: ${differences
              .map((one) =>
                one.kind === 'key'
                  ? `Am Gateway gibt es ${one.name} (ID ${one.keyId}), das Journal kennt Generationen bis ${one.highest}`
                  : `${one.place} enthält einen Key, der laut Journal nie dorthin verteilt wurde (SHA-256 ${one.fingerprint.slice(0, 12)}…)`,
              )
              .join('; ')}.`
      } Der Datenordner wurde aus einem Backup wiederhergestellt, der Key wurde außerhalb von Tollkeeper erstellt, oder eine andere Instanz von Tollkeeper verwaltet diesen Service. Kein Key von ${service} wird erstellt, verteilt, geändert oder gelöscht.`,
      advice: `Jede andere Instanz von Tollkeeper anhalten, die diesen Service verwaltet. \`tollkeeper keys reconcile ${word}\` zeigt den Unterschied; mit --apply übernimmt das Journal den tatsächlichen Stand, sonst wird nichts geändert.`,
    }),
    'sink-dead': ({ place, name, keyId, state }, { service, word }) => ({
      title: `Ein Ablageort von ${service} enthält einen Key, der nicht mehr funktioniert`,
      message: `${place} enthält ${name} (ID ${keyId}). Dieser Key ist ${states[state]}; Aufrufe mit ihm werden abgelehnt.`,
      advice: `\`tollkeeper keys rotate ${word}\` verteilt einen funktionierenden Key an alle Ablageorte des Service.`,
    }),
    'step-failed': (about, { service }) => {
      const { step, why, tries } = about;
      const standing = standingOf(about, service);
      return tries === undefined
        ? {
            title: `Ein Schritt der Rotation von ${service} ist fehlgeschlagen`,
            message: `${step}: ${why}. ${standing} Der Schritt wird wiederholt.`,
          }
        : {
            title: `Die Rotation von ${service} ist angehalten: Eingreifen erforderlich`,
            message: `Der Schritt ${step} ist ${tries}-mal fehlgeschlagen: ${why}. ${standing}`,
          };
    },
    paused: ({ why }, { service }) => ({
      title: `Die Rotation von ${service} ist weiterhin angehalten: Eingreifen erforderlich`,
      message: `Grund: ${why}`,
    }),
    unconfirmed: ({ name, place }) => ({
      title: `Der Key ${name} muss bestätigt werden`,
      message: `${name} liegt in ${place} und muss mit \`tollkeeper keys confirm\` bestätigt werden.`,
    }),
    'too-many-keys': ({ names }, { service }) => ({
      title: `Die Rotation von ${service} ist blockiert`,
      message: `Diese Rotation hat ${both(names)} erstellt; die Keys sind möglicherweise in Gebrauch. Ein weiterer Key wird erst erstellt, wenn einer davon nicht mehr existiert: \`tollkeeper keys expire\` beendet einen Key.`,
    }),
    'no-sink': ({ job }, { service, word }) => ({
      title: `Die Rotation von ${service} ist blockiert`,
      message: `Der Job ${job} deklariert keinen Ablageort für den Key. Unter \`deliver\` einen Ablageort deklarieren oder die Rotation mit \`tollkeeper keys give-up ${word}\` beenden.`,
    }),
    held: (about, facts) => {
      const text = { title: heldTitle(about), message: heldText(about, facts) };
      const { reason } = about.why;
      if (reason === 'clock-skew')
        return {
          ...text,
          advice: 'Die Uhren beider Hosts synchronisieren (NTP); weitere Maßnahmen sind nicht erforderlich.',
        };
      return reason === 'place-undeclared' || reason === 'sink-holds-it'
        ? { ...text, advice: 'Bis dahin wird nichts gelöscht.' }
        : text;
    },
    'old-key-used': ({ name, successor, from, to, hours, ends }, { at, zone }) => ({
      title: `Der alte Key ${name} ist noch in Gebrauch`,
      message: `Mit ${name}, den ${successor} ersetzt, gab es zwischen dem ${at(toMillis(from))} und dem ${at(toMillis(to))} Aufrufe, und zwar in diesen Stunden: ${hoursText(hours, zone)}. ${endText(ends, at)}`,
    }),
    'old-key-unused': ({ name, from, to, lastCall, ends }, { at }) => ({
      title: `Der alte Key ${name} wird nicht mehr verwendet`,
      message: `Zwischen dem ${at(toMillis(from))} und dem ${at(toMillis(to))} gab es keinen Aufruf mit ${name}${lastCall === undefined ? '' : `; der letzte war am ${at(startOfMinute(toMillis(lastCall)))}`}. ${endText(ends, at)}`,
    }),
    ending: ({ name, notice, stage }, { at }) => ({
      title:
        notice?.kind === 'expires' ? `Der Key ${name} läuft bald ab` : `Der Key ${name} soll beendet werden`,
      message: notice === undefined ? stage : noticeText(notice, at),
    }),
    stuck: ({ why, since }, { account, at }) => ({
      title: `Die Rotationen von ${account} kommen nicht voran`,
      message: `${why}. Seit dem ${at(since)} wurde kein Schritt einer Rotation ausgeführt; alle fünf Minuten folgt ein neuer Versuch.`,
    }),
    'stuck-over': ({ since }, { account, at }) => ({
      title: `Die Rotationen von ${account} laufen wieder`,
      message: `Seit dem ${at(since)} kamen sie nicht voran. Die überfälligen Schritte werden jetzt ausgeführt.`,
    }),
    closed: ({ why, since }, { at }) => ({
      title: 'Key-Vorgänge sind ausgesetzt: Das Key-Journal ist ungültig',
      message: `${why}. Kein Key wird erstellt, geändert oder gelöscht. Zuerst erkannt: ${at(since)}; solange der Daemon läuft, wird das Journal alle fünf Minuten geprüft. Berichte und Abrufe laufen weiter.`,
    }),
    'closed-over': ({ since }, { at }) => ({
      title: 'Das Key-Journal ist wieder gültig: Rotationen laufen weiter',
      message: `Es galt seit dem ${at(since)} als ungültig. Die überfälligen Schritte werden jetzt ausgeführt.`,
    }),
  },
  advice: {
    failed: () =>
      'Solange der Daemon läuft, wird der Schritt alle fünf Minuten wiederholt, nach mehreren Fehlschlägen seltener; ohne Daemon bei jedem Lauf des Jobs im Modus apply.',
    waiting: (word) =>
      `Die Ursache beheben und \`tollkeeper keys resume ${word}\` ausführen oder die Rotation aufgeben: \`tollkeeper keys give-up ${word}\`.`,
    held: () =>
      'Die übrigen Anwendungen vom alten auf den neuen Key umstellen. Bis dahin bleibt der alte Key erhalten.',
    escalated: (word) =>
      `Ermitteln, wer den alten Key noch verwendet. \`tollkeeper keys list ${word}\` zeigt seine Nutzung; gelöscht wird erst, wenn er ungenutzt ist.`,
    used: () => 'Die übrigen Anwendungen vom alten auf den neuen Key umstellen.',
    warning: () => 'Wird der Key noch benötigt, sein Ablaufdatum verlängern oder ihn verwenden.',
  },
  use: ({ calls: number, lastCall, spend, models }, at, currency = '') =>
    [
      calls(number),
      ...(lastCall === undefined ? [] : [`zuletzt am ${at(toMillis(lastCall))}`]),
      ...models.slice(0, 3).map((one) => `${one.model} ${one.calls.toLocaleString('de')}`),
      ...(models.length > 3 ? [counted(models.length - 3, 'weiteres Modell', 'weitere Modelle')] : []),
      ...(spend === undefined ? [] : [`Kosten ${`${comma(spend)} ${currency}`.trim()}`]),
    ].join(', '),
  service: (service, account, team) =>
    `${service} (Konto ${account}${team === undefined ? '' : `, Team ${team}`})`,
  allAccounts: 'alle',
  shows: (now, history) => `\`${now}\` zeigt den aktuellen Stand, \`${history}\` jeden Schritt.`,
  reminder: 'Bis dies behoben ist, folgt jede Woche eine Erinnerung.',
  daily:
    'Für jeden Tag, an dem der alte Key verwendet wird, folgt eine E-Mail, und eine weitere, sobald er nicht mehr verwendet wird.',
  noFurther: 'Zu diesem Ereignis folgt keine weitere E-Mail.',
  owner: (owner) => `, verantwortlich: ${owner}`,
  recipients: (operators, team) => `${operators} und ${team}`,
  auditHead: (steps, hash) => `Audit-Log: ${counted(steps, 'Schritt', 'Schritte')}, letzter Hash ${hash}.`,
};
