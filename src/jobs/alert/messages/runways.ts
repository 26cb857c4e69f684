import { roundMoney, shellWord, toSeconds } from '../../../core/index.ts';
import type { AlertRecord, RunwayStatus } from '../../../monitoring/index.ts';
import type { ReadRunway } from '../read-runways.ts';
import { momentText, notification, type MessageContext, type AlertNotification } from './notification.ts';

const runwayName = ({ alert, kind }: ReadRunway, account: string): string =>
  kind === 'runway' ? `balance of ${account}` : `quota of the key ${alert.slice('key:'.length)}`;

const dayCount = (days: number): string => (days < 10 ? days.toFixed(1) : String(Math.round(days)));

/** Why it is unknown how long a balance or quota lasts, and the next step. */
export const runwayReasons: { readonly [Reason in NonNullable<RunwayStatus['reason']>]: string } = {
  'few-readings': 'needs snapshots at least a day apart; a job of kind snapshot takes them',
  'old-reading': 'the last snapshot is older than two days; check the job of kind snapshot',
};

/** The range of days, as text: `5.2 days (4.1 to 7.3)`. */
export const runwayText = ({
  state,
  days = 0,
  low = 0,
  high = Number.POSITIVE_INFINITY,
}: Pick<RunwayStatus, 'state' | 'days' | 'low' | 'high'>): string => {
  if (state === 'unknown') return 'unknown';
  if (state === 'unused') return 'unlimited at the current pace: nothing was used';
  const upper = Number.isFinite(high) ? `to ${dayCount(high)}` : 'or more';
  return `${dayCount(days)} days (${dayCount(low)} ${upper})`;
};

export const runwayAlert = (
  records: readonly AlertRecord[],
  read: ReadRunway,
  { account, operators, zone }: MessageContext,
): AlertNotification => {
  const { runway, readAt, alert } = read;
  const name = runwayName(read, account);
  return notification('alert', records, {
    title: `The ${name} lasts ${runway.state === 'known' ? `${dayCount(runway.days)} more days` : 'an unknown time'}`,
    to: operators,
    recipients: 'mail.operators',
    blocks: [
      {
        tone: 'bad',
        lines: [
          ['What', `At the current pace, the ${name} is used up in ${runwayText(runway)}.`],
          ...(runway.state === 'known'
            ? [
                [
                  'Left',
                  `${runway.left}, as the gateway counts; ${roundMoney(runway.perDay, 2)} are used per day`,
                ] as const,
                ['Used up', momentText(toSeconds(runway.emptyAt), zone)] as const,
              ]
            : []),
          [
            'What to do',
            read.kind === 'runway'
              ? 'Top up the account at the gateway before that day. Calls fail once the balance is used up.'
              : 'Raise the quota of the key, or rotate it: calls with the key fail once its quota is used up.',
          ],
          ['Account', account],
          ...(readAt === undefined ? [] : [['Read', momentText(toSeconds(readAt), zone)] as const]),
        ],
      },
    ],
    closing: [
      `No further mail is sent about this level until the ${read.kind === 'runway' ? 'balance' : 'quota'} has risen. \`tollkeeper alerts mute ${shellWord(alert)} --until DATE\` stops notifications.`,
    ],
  });
};

export const runwayRecovery = (
  records: readonly AlertRecord[],
  read: ReadRunway,
  { account, operators }: MessageContext,
): AlertNotification => {
  const name = runwayName(read, account);
  return notification('recovered', records, {
    title: `The ${name} suffices again`,
    to: operators,
    recipients: 'mail.operators',
    blocks: [
      {
        tone: 'good',
        lines: [
          ['What', `At the current pace, the ${name} lasts ${runwayText(read.runway)}.`],
          ['Account', account],
        ],
      },
    ],
    closing: ['`tollkeeper alerts` shows the current state.'],
  });
};
