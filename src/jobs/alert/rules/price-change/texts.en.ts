import type { PriceTexts } from './texts.ts';

const of = (model: string, key: string | undefined): string =>
  key === undefined ? model : `${model} with the key ${key}`;

export const english: PriceTexts = {
  title: {
    changed: (model) => `The price of ${model} has changed`,
    unbilled: (model) => `Tokens of ${model} are no longer billed`,
    listed: (model) => `The price of ${model} is not that of the configuration`,
    cache: (model) => `Cached input of ${model} costs as much as other input`,
  },
  price: ({ name, before, after, change }) =>
    `\`${name}\` ${before} → ${after}${change === undefined ? '' : ` (${change})`}`,
  what: {
    changed: (model, key, prices) =>
      `Calls of ${of(model, key)} are charged by other prices of a million tokens: ${prices}.`,
    unbilled: (model, key, prices) =>
      `Tokens of ${of(model, key)} that cost something are free now; a million of them: ${prices}. The gateway may bill them later.`,
    listed: (model, key, prices) =>
      `Calls of ${of(model, key)} are charged by other prices of a million tokens than \`prices\` has: ${prices}.`,
    cache: (model, key, prices) =>
      `Of ${of(model, key)}, a million cached tokens cost no less than other input: ${prices} (from uncached to cached).`,
  },
  month: (amount, isMore) =>
    `At the present volume that is ${amount} ${isMore ? 'more' : 'less'} in 30 days.`,
  advice: {
    changed: 'Ask the operator of the gateway whether this is meant, and correct `prices` if it is.',
    unbilled:
      'Ask the operator of the gateway: a later correction of these charges would change closed months.',
    listed: 'Correct `prices`, or ask the operator of the gateway why it charges otherwise.',
    cache: 'Ask the operator of the gateway whether the discount of cached input is passed on.',
  },
  noFurther: (word) =>
    `No further mail is sent about this. \`tollkeeper alerts mute ${word} --until DATE\` stops notifications of the model.`,
  recoveredTitle: (model) => `The price of ${model} is as expected again`,
  recovered: (model) => `Calls of ${model} no longer show this.`,
  measured: (months, alarms) =>
    `How often this is wrong: ${alarms} alerts without a change in ${months} months of simulated models.`,
  currentState: '`tollkeeper alerts` shows the current state.',
};
