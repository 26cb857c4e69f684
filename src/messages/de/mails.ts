import type { MailTexts } from '../mail-texts.ts';

const action = 'Bestätigen oder stummschalten';
const actionLimits = (days: number): string => `einmalig, innerhalb von ${days} Tagen`;

export const germanMails: MailTexts = {
  lines: {
    what: 'Meldung',
    toDo: 'Maßnahme',
    reason: 'Grund',
    account: 'Konto',
    also: 'Außerdem',
    cause: 'Ursache',
    outlook: 'Ausblick',
    scope: 'Bereich',
    period: 'Zeitraum',
    through: 'Datenstand',
    now: 'Jetzt',
    known: 'Bekannt',
    when: 'Zeitpunkt',
    left: 'Verbleibend',
    usedUp: 'Aufgebraucht',
    read: 'Abgelesen',
    slot: 'Slot',
    nextSlot: 'Nächster Slot',
    manualRun: 'Manueller Lauf',
    lastRun: 'Letzter Lauf',
    downSince: 'Gestört seit',
    fault: 'Fehler',
    found: 'Befund',
    compared: 'Verglichener Zeitraum',
    seen: 'Befund',
    firstSeen: 'Zuerst erkannt',
  },
  unnamed: '(ohne Namen)',
  more: (count) => `… und ${count} weitere.`,
  statusPage: (url) => `Statusseite: ${url}`,
  recipients: (setting) => `Die Empfänger dieser E-Mail stehen unter \`${setting}\`.`,
  action,
  actionLimits,
  actionIntro: (days) => `${action} (${actionLimits(days)}):`,
};
