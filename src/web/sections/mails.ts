import { z } from 'zod';
import { countText, type UnixMillis } from '../../core/index.ts';
import type { OutboxRow } from '../../storage/index.ts';
import type { Item } from '../blocks.ts';
import { mailTones } from '../tones.ts';
import { as, picked, section, time, timed } from './section.ts';

export type OutboxView = Omit<OutboxRow, 'sender' | 'triedFrom' | 'file' | 'nextAttempt' | 'topics'> & {
  /** Time zone of times in text. */
  readonly zone: string;
  /** Time of the next attempt; missing when there is none. */
  readonly next?: UnixMillis | undefined;
};

/** Numbers of unsent mails, by state. */
export type MailView = {
  readonly waiting: number;
  readonly failed: number;
  readonly unknown: number;
  /** Unsent mails of a restored backup. */
  readonly held: number;
  /** The newest failed, unknown and held ones; missing when there are none. */
  readonly stuck?: readonly OutboxView[];
};

export const mailFacts = timed<OutboxView>({ queuedAt: time, changedAt: time, next: time });

const advice: { readonly [State in OutboxView['state']]?: (id: string, recipient: string) => string } = {
  unknown: (id, recipient) =>
    `it may or may not have arrived. Ask ${recipient}; \`tollkeeper outbox resend ${id}\` sends the same message again, \`tollkeeper outbox drop ${id}\` closes the entry`,
  held: (id) =>
    `it was unsent in the restored backup and may have been sent since. \`tollkeeper outbox resend ${id}\` sends it, \`tollkeeper outbox drop ${id}\` abandons it`,
  failed: (id) =>
    `fix the cause, then run \`tollkeeper outbox resend ${id}\`; \`tollkeeper outbox drop ${id}\` abandons it`,
};

const mailItem = (row: OutboxView): Item => {
  const { id, state, kind, subject, title, recipient, route, attempts, lastError, next, queuedAt, zone } =
    row;
  return {
    name: recipient,
    about: id,
    state: { text: state, tone: mailTones[state] },
    cells: [
      { title: 'ID', value: id },
      { title: 'About', value: title ?? `${kind} ${subject}` },
      { title: 'Queued', value: { at: queuedAt, zone }, spare: 3 },
      {
        title: 'Tries',
        value: route === 'mail' ? String(attempts) : `${attempts} by ${route}`,
        spare: 2,
      },
      { title: 'Next try', value: next === undefined ? undefined : { at: next, zone }, spare: 1 },
    ],
    notes: lastError === undefined ? [] : [{ text: lastError }],
    advice: next === undefined ? advice[state]?.(id, recipient) : undefined,
    isBad: mailTones[state] === 'bad',
    actions: advice[state] === undefined ? [] : [{ name: 'resend', label: 'Resend', fields: [['id', id]] }],
  };
};

const title = 'Mail';

export const mailSection = section({
  path: 'mail',
  facts: timed<MailView>({ stuck: z.array(mailFacts) }),
  ofTeam: (): MailView => ({ waiting: 0, failed: 0, unknown: 0, held: 0 }),
  needsPerson: ({ failed, unknown, held }) => [
    ...(failed === 0 ? [] : [`${countText(failed, 'mail')} refused`]),
    ...(unknown === 0 ? [] : [`${countText(unknown, 'mail')} of unknown outcome`]),
    ...(held === 0 ? [] : [`${countText(held, 'mail')} held since a restore`]),
  ],
  blocks: ({ waiting, failed, unknown, held, stuck = [] }, { team }) => {
    if (team !== undefined) return [];
    const parts = [
      ...(waiting === 0 ? [] : [`${waiting} waiting`]),
      ...(failed === 0 ? [] : [`${failed} refused`]),
      ...(unknown === 0 ? [] : [`${unknown} of unknown outcome`]),
      ...(held === 0 ? [] : [`${held} held since a restore`]),
    ];
    if (parts.length === 0) return [{ title, on: 'page', notes: [{ text: 'the outbox is empty' }] }];
    return [
      { title, notes: [{ text: `unsent mails: ${parts.join(', ')}` }] },
      ...(stuck.length === 0
        ? []
        : [
            {
              title,
              on: 'terminal' as const,
              noun: 'Recipient',
              items: stuck.map((row) => ({ ...mailItem(row), advice: undefined })),
              advice:
                'resend one with `tollkeeper outbox resend ID`, or drop it with `tollkeeper outbox drop ID`; `tollkeeper outbox release` sends those that are held',
            },
          ]),
    ];
  },
});

/** The mails themselves, of which `mail` has the numbers. */
export const mailsSection = section({
  path: 'mails',
  facts: timed<{
    /** Refused, given up, or of unknown outcome. */
    readonly stuck: readonly OutboxView[];
    readonly waiting: readonly OutboxView[];
  }>({ stuck: z.array(mailFacts), waiting: z.array(mailFacts) }),
  blocks: ({ stuck, waiting }, { team, unsent }) => {
    const rows = [...stuck, ...waiting];
    const more = unsent - rows.length;
    return team !== undefined || rows.length === 0
      ? []
      : [
          {
            title,
            on: 'page',
            items: rows.map(mailItem),
            ...(more > 0 ? { advice: `… and ${more} more: \`tollkeeper outbox\` lists them` } : {}),
          },
        ];
  },
});

/** A mail that a scheduled run is going to send. */
export type NextMailView = {
  readonly job: string;
  readonly at: UnixMillis;
  readonly zone: string;
  readonly team?: string | undefined;
  readonly to: readonly string[];
};

/** Keeps a line readable. */
const maxRecipients = 5;

const recipients = (to: readonly string[]): string =>
  `${to.slice(0, maxRecipients).join(', ')}${to.length > maxRecipients ? ` and ${to.length - maxRecipients} more` : ''}`;

export const nextMailsSection = section({
  path: 'nextMails',
  facts: z.array(picked<NextMailView>({ job: as, zone: as, team: as, to: as, at: time })).readonly(),
  blocks: (mails) =>
    mails.length === 0
      ? []
      : [
          {
            title: 'Next mails',
            on: 'page',
            notes: mails.map(({ job, at, zone, team, to }) => ({
              text: [
                { at, zone },
                `: ${job}${team === undefined ? '' : ` for team ${team}`} to ${recipients(to)}`,
              ],
            })),
          },
        ],
});
