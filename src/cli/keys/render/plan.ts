import { countText, iso } from '../../../core/index.ts';
import type { KeyPlanView, PlanCheck, PlannedChange } from '../../../app/index.ts';
import type { Screen, Style } from '../../ui/paint.ts';
import { tableLines } from '../../ui/table.ts';
import { lines } from '../../ui/lines.ts';
import { clip, oneLine } from '../../ui/text.ts';

const styles: Readonly<Record<PlannedChange['what'], Style>> = {
  rotate: 'busy',
  create: 'good',
  warn: 'warn',
  expire: 'warn',
  delete: 'bad',
};

/** Every key with its reason, or only the notes for a person. */
const leftLines = ({ notes, skipped }: KeyPlanView, all: boolean): readonly string[] =>
  all && skipped !== undefined
    ? skipped.map(
        ({ name, keyId, reason, message }) => `skipped: ${name} (ID ${keyId}), ${reason}: ${message}`,
      )
    : notes;

const planLines = (plan: KeyPlanView, all: boolean, screen: Screen): readonly string[] => {
  const { changes } = plan;
  const heading = `${plan.job} (${plan.kind}, ${plan.account}): ${
    changes.length === 0 ? 'nothing to do now' : countText(changes.length, 'change')
  }`;
  const short = (text: string): string =>
    screen.width === undefined ? text : clip(oneLine(text), Math.max(12, Math.floor(screen.width / 4)));
  const table =
    changes.length === 0
      ? []
      : tableLines(
          [{ title: 'WHAT' }, { title: 'SERVICE' }, { title: 'KEY', spare: 1 }, { title: 'ID', spare: 2 }],
          changes.map(({ what, service, name, keyId, message }) => ({
            cells: [
              { text: what, style: styles[what] },
              short(service),
              short(name ?? '-'),
              keyId === undefined ? '-' : String(keyId),
            ],
            note: message,
          })),
          screen,
        );
  return [
    ...lines(heading, 0, screen, 'title'),
    ...table,
    ...leftLines(plan, all).flatMap((note) => lines(note, 0, screen, 'quiet')),
  ];
};

/** Plans in the given order, below their jobs; `all` adds every unchanged key with the reason. */
export const renderKeyPlans = (plans: readonly KeyPlanView[], screen: Screen, all = false): string =>
  plans.length === 0
    ? 'no job of kind rotate-keys or expire-keys is configured\n'
    : `${plans.map((plan) => planLines(plan, all, screen).join('\n')).join('\n\n')}\n`;

export const renderStale = (stale: readonly string[], screen: Screen): string =>
  `${[
    screen.paint('bad', 'the plan is stale; nothing was done:'),
    ...stale.flatMap((change) => lines(`- ${change}`, 0, screen)),
    ...lines('what to do: create it again with `tollkeeper keys plan JOB -o FILE` and review it', 0, screen),
  ].join('\n')}\n`;

const planJson = ({ file: _file, at, ...plan }: KeyPlanView) => ({ ...plan, at: iso(at) });

export const keyPlansJson = (plans: readonly KeyPlanView[]) => plans.map(planJson);

export const planCheckJson = ({ plan, stale }: PlanCheck) => ({ plan: planJson(plan), stale });
