import type { MailTexts } from '../mail-texts.ts';

const action = 'Acknowledge or mute';
const actionLimits = (days: number): string => `works once, within ${days} days`;

export const englishMails: MailTexts = {
  lines: {
    what: 'What',
    toDo: 'What to do',
    reason: 'Reason',
    account: 'Account',
    also: 'Also',
    cause: 'Cause',
    outlook: 'Outlook',
    scope: 'Scope',
    period: 'Period',
    through: 'Data through',
    now: 'Now',
    known: 'Known',
    when: 'When',
    left: 'Left',
    usedUp: 'Used up',
    read: 'Read',
    slot: 'Slot',
    nextSlot: 'Next slot',
    manualRun: 'Manual run',
    lastRun: 'Last run',
    downSince: 'Down since',
    fault: 'Fault',
    found: 'Found',
    compared: 'Period compared',
    seen: 'Seen',
    firstSeen: 'First seen',
  },
  unnamed: '(unnamed)',
  more: (count) => `… and ${count} more.`,
  statusPage: (url) => `Status page: ${url}`,
  recipients: (setting) => `Recipients of this mail are set by \`${setting}\`.`,
  action,
  actionLimits,
  actionIntro: (days) => `${action} (${actionLimits(days)}):`,
};
