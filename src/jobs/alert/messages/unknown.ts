import { toSeconds } from '../../../core/index.ts';
import { describeScope, type AlertRecord, type Assessment } from '../../../monitoring/index.ts';
import type { AlertBlock } from '../../../reports/index.ts';
import {
  momentText,
  notification,
  percentOf,
  show,
  type MessageContext,
  type AlertNotification,
} from './notification.ts';
import { reasonText } from './reason-text.ts';

/** Keeps the mail readable. */
const mostNamed = 20;

export const unknownAlert = (
  records: readonly AlertRecord[],
  assessments: readonly Assessment[],
  { account, operators }: MessageContext,
): AlertNotification => {
  const count = assessments.length === 1 ? '1 budget' : `${assessments.length} budgets`;
  return notification('alert', records, {
    title: `The state of ${count} is unknown`,
    to: [...operators, ...assessments.flatMap(({ budget }) => budget.owner)],
    recipients: 'mail.operators',
    blocks: assessments.slice(0, mostNamed).map((assessment): AlertBlock => {
      const { budget, reason, spend, through } = assessment;
      const why =
        reason === undefined
          ? undefined
          : reasonText(reason, {
              zone: budget.zone,
              scope: describeScope(budget),
              account,
              show: momentText,
            });
      return {
        heading: budget.name,
        tone: 'bad',
        lines: [
          ['Reason', `${why?.what ?? 'unknown'}.`],
          ...(spend === undefined || through === undefined || reason?.kind === 'no-calls'
            ? []
            : [
                [
                  'Known',
                  `Spend is at least ${show(spend, assessment)} through ${momentText(through, budget.zone)}, ${percentOf(spend, budget.amount)} of the budget of ${show(budget.amount, assessment)}.`,
                ] as const,
              ]),
          ...(why === undefined ? [] : [['What to do', why.toDo] as const]),
        ],
      };
    }),
    closing: [
      ...(assessments.length > mostNamed ? [`… and ${assessments.length - mostNamed} more.`] : []),
      'Thresholds are not evaluated until then. No further mail is sent until the state is known again.',
    ],
  });
};

export const unknownRecovery = (
  records: readonly AlertRecord[],
  { account, operators, now, zone }: MessageContext,
): AlertNotification =>
  notification('recovered', records, {
    title: 'The state of all budgets is known again',
    to: operators,
    recipients: 'mail.operators',
    blocks: [
      {
        tone: 'good',
        lines: [
          ['What', `All budgets of the account ${account} are evaluated again.`],
          ['When', momentText(toSeconds(now), zone)],
        ],
      },
    ],
    closing: ['`tollkeeper alerts` shows all budgets.'],
  });
