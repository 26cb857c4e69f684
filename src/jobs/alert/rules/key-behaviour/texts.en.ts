import type { BehaviourTexts } from './texts.ts';

export const english: BehaviourTexts = {
  title: (key, spend) => `The key ${key} is used as never before: ${spend} in 24 hours`,
  what: ({ key, spend, usual }) =>
    `The key ${key} cost ${spend} in the last 24 hours, usually ${usual}. If its owner does not know why, it may have leaked.`,
  newModels: (models) => `Models that it never called before: ${models}.`,
  newHours: (hours) => `Hours (UTC) at which it never called before: ${hours}.`,
  hours: (from, to) => `${from} to ${to}`,
  advice: (target) =>
    'service' in target
      ? `Ask its owner. If the key leaked, replace it at once: \`tollkeeper keys rotate ${target.service} --now\` creates a new key and deletes this one.`
      : `Ask its owner. If the key leaked, end it at once: \`tollkeeper keys expire ${target.key}\`. No job rotates it, so its consumer needs a new key.`,
  noFurther: (word) =>
    `No further mail is sent about this key until its spend has fallen. \`tollkeeper alerts mute ${word} --until DATE\` stops notifications.`,
  recoveredTitle: (key) => `The key ${key} is used as before`,
  recovered: (key) => `The spend of the key ${key} has fallen below five times its median.`,
  measured: (months, alarms) =>
    `How often this is wrong: ${alarms} alerts without a leak in ${months} months of simulated keys.`,
  currentState: '`tollkeeper alerts` shows the current state.',
};
