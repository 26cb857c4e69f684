import type { KeyHistory } from '../../../app/index.ts';
import { formatSlot, iso } from '../../../core/index.ts';
import { timesIn } from '../../ui/moment.ts';
import type { Screen, Style } from '../../ui/paint.ts';
import { oneLine, widthOf, wrap } from '../../ui/text.ts';
import { describeDuration } from '../../ui/messages.ts';

type Step = KeyHistory['steps'][number];

const marks: Readonly<Record<Step['tone'], readonly [string, Style]>> = {
  good: ['●', 'good'],
  bad: ['✖', 'bad'],
  plain: ['○', 'plain'],
};

/** Milliseconds between two steps from which the wait is shown. */
const long = 3_600_000;

const timeOf = ({ at }: Step, zone: string): string =>
  formatSlot(at, zone)
    .replace(` ${zone}`, '')
    .replace(/^(.{16})$/, '$1:00');

const describeSince = (step: Step, before: Step | undefined): readonly string[] =>
  before === undefined || step.at - before.at < long ? [] : [describeDuration(step.at - before.at)];

const stepLines = (
  step: Step,
  before: Step | undefined,
  { zone, room }: { readonly zone: string; readonly room: number },
  screen: Screen,
): readonly string[] => {
  const time = timeOf(step, zone);
  const [mark, style] = marks[step.tone];
  const by = before?.who === step.who ? '' : ` (${step.who})`;
  const message = oneLine(`${step.message}${by}`);
  const start = widthOf(time) + 4 + room + 2;
  const wrapped = screen.width === undefined ? [message] : wrap(message, Math.max(20, screen.width - start));
  const beside = screen.width === undefined || screen.width - start >= 20;
  const blank = ' '.repeat(widthOf(time));
  const first = `${screen.paint('quiet', time)}  ${screen.paint(style, mark)} `;
  const what = screen.paint(style, step.what);
  const rail = `${blank}  ${screen.paint('quiet', '│')} `;
  const gap = describeSince(step, before).map((range) => `${blank}  ${screen.paint('quiet', `┆ ${range}`)}`);
  if (!beside) {
    const below = wrap(message, Math.max(10, (screen.width ?? 0) - widthOf(time) - 4));
    return [...gap, `${first}${what}`, ...below.map((line) => `${rail}${line}`)];
  }
  const pad = ' '.repeat(room - widthOf(step.what) + 2);
  return [
    ...gap,
    `${first}${what}${pad}${wrapped[0] ?? ''}`,
    ...wrapped.slice(1).map((line) => `${rail}${' '.repeat(room + 2)}${line}`),
  ];
};

const groupsOf = (steps: readonly Step[]): readonly (readonly Step[])[] => {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const key = JSON.stringify([step.account, step.service, step.rotation]);
    const group = groups.get(key) ?? [];
    group.push(step);
    groups.set(key, group);
  }
  return [...groups.values()];
};

/** One timeline per rotation, steps oldest first. */
export const renderKeyHistory = ({ zone, steps }: KeyHistory, screen: Screen): string => {
  if (steps.length === 0) return 'no steps\n';
  const room = Math.max(...steps.map(({ what }) => widthOf(what)));
  const accounts = new Set(steps.map(({ account }) => account));
  const pages = groupsOf(steps).map((group) => {
    const [first] = group;
    const heading = oneLine(
      `${first?.service ?? ''}${accounts.size > 1 ? ` of ${first?.account ?? ''}` : ''}, ${first?.rotation ?? ''}`,
    );
    const headings = screen.width === undefined ? [heading] : wrap(heading, screen.width);
    return [
      ...headings.map((line) => screen.paint('title', line)),
      ...group.flatMap((step, index) => stepLines(step, group[index - 1], { zone, room }, screen)),
    ].join('\n');
  });
  return `${[...timesIn(zone, screen), pages.join('\n\n')].join('\n')}\n`;
};

export const keyHistoryJson = ({ steps }: KeyHistory) =>
  steps.map(({ tone: _tone, event, ...step }) => ({
    ...step,
    at: iso(step.at),
    event,
  }));
