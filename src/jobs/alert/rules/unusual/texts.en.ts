import type { UnusualOf, UnusualTexts } from './texts.ts';

const scope = ({ of, name }: UnusualOf): string =>
  ({ account: `the account ${name}`, model: `the model ${name}`, service: `the service ${name}` })[of];

export const english: UnusualTexts = {
  scope,
  heading: ({ of, name }) => `${{ account: 'Account', model: 'Model', service: 'Service' }[of]} ${name}`,
  title: (of, more) => `Unusual spend of ${scope(of)}: ${more} more`,
  titleOfSeveral: (of, more, others) =>
    `Unusual spend of ${scope(of)}: ${more} more, and of ${others} ${others === 1 ? 'other' : 'others'}`,
  what: ({ of, window, spend, usual, more }) =>
    window === 'hour'
      ? `Hours of ${scope(of)} cost ${spend}, ${more} more than the ${usual} that is usual at these hours.`
      : `The last 24 hours of ${scope(of)} cost ${spend}, ${more} more than the ${usual} that is usual.`,
  cause: ({ calls, usualCalls, price, usualPrice }) =>
    `${calls} calls, usually ${usualCalls}${price === undefined ? '' : `; ${price} a call${usualPrice === undefined ? '' : `, usually ${usualPrice}`}`}.`,
  contributions: (parts) => `More than a week before: ${parts}.`,
  part: (model, service, more) => `${more} ${model} by ${service}`,
  advice: (word) =>
    `Find out whether this usage is expected. If it is, \`tollkeeper alerts expect --from DATE --reason TEXT\` leaves its days out of what is usual. \`tollkeeper alerts mute ${word} --until DATE\` stops notifications.`,
  noFurther: 'No further mail is sent about this until a day without unusual spend has passed.',
  recoveredTitle: (of) => `The spend of ${scope(of)} is usual again`,
  recovered: (of) => `The last 24 hours of ${scope(of)} have no unusual spend.`,
  measured: (weeks, alarms) =>
    `How often this is wrong: ${alarms} mails about nothing in ${weeks} weeks of simulated accounts.`,
  currentState: '`tollkeeper alerts` shows the current state.',
};
