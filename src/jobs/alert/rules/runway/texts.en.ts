import type { Reserve, RunwayTexts } from './texts.ts';

const reserve = ({ kind, name }: Reserve): string =>
  kind === 'runway' ? `balance of ${name}` : `quota of the key ${name}`;

export const english: RunwayTexts = {
  title: (of, days) => `The ${reserve(of)} lasts ${days} more days`,
  days: (days, low, high) => `${days} days (${low} ${high === undefined ? 'or more' : `to ${high}`})`,
  usedUp: (of, days) => `At the current pace, the ${reserve(of)} is used up in ${days}.`,
  lasts: (of, days = 'unlimited at the current pace: nothing was used') =>
    `At the current pace, the ${reserve(of)} lasts ${days}.`,
  left: (left, perDay) => `${left}, as the gateway counts; ${perDay} are used per day`,
  advice: {
    runway: 'Top up the account at the gateway before that day. Calls fail once the balance is used up.',
    key: 'Raise the quota of the key, or rotate it: calls with the key fail once its quota is used up.',
  },
  noFurther: (kind, word) =>
    `No further mail is sent about this level until the ${kind === 'runway' ? 'balance' : 'quota'} has risen. \`tollkeeper alerts mute ${word} --until DATE\` stops notifications.`,
  recoveredTitle: (of) => `The ${reserve(of)} suffices again`,
  currentState: '`tollkeeper alerts` shows the current state.',
};
