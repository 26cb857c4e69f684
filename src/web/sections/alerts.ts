import { z } from 'zod';
import { listText } from '../../core/index.ts';
import {
  byReason,
  collectUnknown,
  type AlertView,
  type UnknownAlert,
  type UnknownAlerts,
} from '../../monitoring/index.ts';
import type { AlertAcknowledgement, AlertMute, StoredAlert } from '../../warehouse/index.ts';
import type { Action, Block, Item, Note } from '../blocks.ts';
import { as, picked, section, time, timed } from './section.ts';

/** Keeps the line readable; `--json` has all names. */
const maxNames = 8;

const maxLength = 40;

const short = (name: string): string =>
  Array.from(name).length > maxLength
    ? `${Array.from(name)
        .slice(0, maxLength - 1)
        .join('')}…`
    : name;

const areMany = (alerts: readonly { readonly account: string }[]): boolean =>
  new Set(alerts.map(({ account }) => account)).size > 1;

const nameOf = ({ account, alert }: UnknownAlert | AlertView, many: boolean): string =>
  short(many ? `${account}/${alert}` : alert);

const namesOf = ({ alerts }: UnknownAlerts, many: boolean): string =>
  listText(
    alerts.map((one) => nameOf(one, many)),
    maxNames,
  );

/** What is unknown, as one line, and the next step. */
const unknownNote = (unknown: UnknownAlerts, many: boolean): Note => {
  const { alerts, reason, hint } = unknown;
  const subject = alerts.length === 1 ? '1 alert is' : `${alerts.length} alerts are`;
  return {
    text: `${subject} unknown because ${reason}: ${namesOf(unknown, many)}`,
    tone: 'warn',
    advice: hint,
  };
};

/** Alerts of unknown state that are not muted. */
export const unknownAlertsSection = section({
  path: 'data.unknownAlerts',
  facts: z.custom<readonly UnknownAlert[]>().optional(),
  blocks: (unknown = []) =>
    unknown.length === 0
      ? []
      : [
          {
            title: 'Budgets and alerts',
            on: 'terminal',
            notes: byReason(unknown).map((one) => unknownNote(one, areMany(unknown))),
          },
        ],
});

const fieldsOf = ({ account, alert }: UnknownAlert | AlertView): Action['fields'] => [
  ['alert', alert],
  ['account', account],
];

const muteAction = (one: UnknownAlert | AlertView): Action => ({
  name: 'mute',
  label: 'Mute for a day',
  fields: [...fieldsOf(one), ['days', '1']],
});

const actionsOf = (alert: AlertView): readonly Action[] => [
  ...(alert.firing.length > 0 && alert.acknowledged === undefined
    ? [{ name: 'acknowledge', label: 'Acknowledge', fields: fieldsOf(alert) } as const]
    : []),
  alert.mute === undefined ? muteAction(alert) : { name: 'unmute', label: 'Unmute', fields: fieldsOf(alert) },
];

const notesOf = ({ mute, acknowledged, texts, zone }: AlertView): readonly Note[] => [
  ...(texts.reason === undefined ? [] : [{ text: texts.reason, tone: 'warn' as const }]),
  ...(texts.note === undefined ? [] : [{ text: texts.note, tone: 'quiet' as const }]),
  ...(mute === undefined
    ? []
    : [
        {
          text: [
            'muted until ',
            { at: mute.until, zone },
            ` by ${mute.by}${mute.reason === undefined ? '' : `: ${mute.reason}`}`,
          ],
          tone: 'quiet' as const,
        },
      ]),
  ...(acknowledged === undefined
    ? []
    : [
        {
          text: `acknowledged by ${acknowledged.by}${acknowledged.reason === undefined ? '' : `: ${acknowledged.reason}`}`,
          tone: 'quiet' as const,
        },
      ]),
];

const alertItem = (view: AlertView, isOnPage: boolean, many: boolean): Item => {
  const { account, scope, state, tone, cells, texts, mute, acknowledged, firing, evaluatedAt, zone } = view;
  const [first] = firing;
  const own = cells.map(({ text, ...cell }) => ({ ...cell, value: text }));
  return {
    name: isOnPage ? view.alert : nameOf(view, many),
    about: scope ?? account,
    state: { text: state === 'not-evaluated' ? 'not evaluated' : state, tone },
    marks: [
      ...(mute === undefined ? [] : [{ text: 'muted', tone: 'quiet' as const }]),
      ...(acknowledged === undefined ? [] : [{ text: 'acknowledged', tone: 'quiet' as const }]),
    ],
    cells: isOnPage
      ? [
          ...own,
          ...(first === undefined
            ? []
            : [
                {
                  title: 'Firing',
                  value: [
                    `${firing.map(({ level }) => level).join(', ')}, since `,
                    { at: first.raisedAt, zone },
                  ],
                },
              ]),
          ...(evaluatedAt === undefined ? [] : [{ title: 'Evaluated', value: { at: evaluatedAt, zone } }]),
        ]
      : own,
    notes: notesOf(view),
    // With a spend, the reason says how much of it is missing.
    advice: texts['spend'] === undefined ? texts.hint : undefined,
    isBad: firing.length > 0 && mute === undefined,
    actions: actionsOf(view),
  };
};

/** As the command `alerts` shows them: a table for each thing that a rule watches, then what is unknown. */
export const alertBlocks = (alerts: readonly AlertView[]): readonly Block[] => {
  const many = areMany(alerts);
  const { collected, alone } = collectUnknown(alerts);
  const titles = new Set(alone.flatMap(({ title }) => title ?? []));
  return [
    ...[...titles].map((noun): Block => ({
      title: noun,
      on: 'terminal',
      noun,
      items: alone.filter(({ title }) => title === noun).map((view) => alertItem(view, false, many)),
    })),
    ...(collected.length === 0
      ? []
      : [
          {
            title: 'unknown',
            on: 'terminal' as const,
            notes: collected.map((one) => unknownNote(one, many)),
          },
        ]),
  ];
};

/** Firing alerts first, those that are unknown for one reason as one item at the end. */
const pageBlock = (alerts: readonly AlertView[]): Block => {
  const many = areMany(alerts);
  const { collected, alone } = collectUnknown(alerts);
  const isFiring = ({ firing }: AlertView): number => (firing.length > 0 ? 0 : 1);
  return {
    title: 'Budgets and alerts',
    on: 'page',
    items: [
      ...alone
        .toSorted((one, other) => isFiring(one) - isFiring(other))
        .map((view) => alertItem(view, true, many)),
      ...collected.map((unknown): Item => ({
        name: `${unknown.alerts.length} alerts`,
        state: { text: 'unknown', tone: 'warn' },
        notes: [{ text: `${unknown.reason}: ${namesOf(unknown, many)}` }],
        advice: unknown.hint,
        parts: unknown.alerts.map((one) => ({ name: one.alert, actions: [muteAction(one)] })),
      })),
    ],
  };
};

/** The alerts of all rules: the output of `alerts`, and a section of the page. */
export const alertsSection = section({
  path: 'alerts',
  facts: z
    .array(
      picked<AlertView>({
        account: as,
        alert: as,
        state: as,
        team: as,
        texts: as,
        zone: as,
        status: as,
        evaluatedAt: time,
        firing: z.array(timed<StoredAlert>({ raisedAt: time })),
        mute: timed<AlertMute>({ until: time, mutedAt: time }),
        acknowledged: timed<AlertAcknowledgement>({ at: time }),
      }),
    )
    .readonly(),
  blocks: (alerts) => (alerts.length === 0 ? [] : [...alertBlocks(alerts), pageBlock(alerts)]),
});
