import type { DoctorView } from '../../app/index.ts';
import { countText, unixMillis } from '../../core/index.ts';
import type { Screen, Style } from '../ui/paint.ts';
import { localMoment } from '../ui/moment.ts';
import { oneLine, wrap } from '../ui/text.ts';

type Check = DoctorView['checks'][number];
type Learned = DoctorView['learned'][number];

const signs: Readonly<Record<Check['state'], readonly [string, Style]>> = {
  ok: ['✓', 'good'],
  failed: ['✗', 'bad'],
  skipped: ['–', 'quiet'],
  warning: ['!', 'warn'],
};

const block = (text: string, margin: number, { width }: Screen): readonly string[] => {
  const clean = oneLine(text);
  const lines = width === undefined ? [clean] : wrap(clean, width - margin);
  return lines.map((line) => `${' '.repeat(margin)}${line}`);
};

const checkLines = ({ about, state, message, advice, code }: Check, screen: Screen): readonly string[] => {
  const [sign, style] = signs[state];
  // Each fault of a configuration has a line of its own, and its advice another one.
  const [head = '', ...more] = message.split('\n');
  const [first = '', ...rest] = block(
    `${about}: ${state === 'skipped' ? 'skipped, ' : ''}${head}`,
    2,
    screen,
  );
  const details = more.flatMap((line) => block(line.trimStart(), line.startsWith(' ') ? 6 : 4, screen));
  const toDo =
    advice === undefined
      ? []
      : block(`what to do: ${advice}${code === undefined ? '' : ` (${code})`}`, 4, screen);
  return [`${screen.paint(style, sign)} ${first.trimStart()}`, ...rest, ...details, ...toDo];
};

const dayIn = (moment: number, zone: string): string =>
  localMoment(unixMillis(moment), zone).slice(0, '2026-11-21'.length);

const describeHow = { data: 'from data', probe: 'by a probe', config: 'by the config' } as const;

const learnedLines = (learned: Learned, zone: string, screen: Screen): readonly string[] => {
  const dayOf = (moment: number): string => dayIn(moment, zone);
  const { account, points, past, goneColumns, overrides } = learned;
  const nothing = points.length === 0 ? block('nothing yet: call log pulls learn it', 2, screen) : [];
  return [
    '',
    ...block(`Learned about the gateway of ${account}`, 0, screen).map((line) => screen.paint('title', line)),
    ...nothing,
    ...points.flatMap(({ point, value, evidence, how, learnedAt }) => [
      ...block(`${point}: ${value}`, 2, screen),
      ...block(
        `${describeHow[how]}${learnedAt === undefined ? '' : ` on ${dayOf(learnedAt)}`}: ${evidence}`,
        6,
        screen,
      ),
      ...past
        .filter((one) => one.point === point)
        .flatMap((one) => block(`until ${dayOf(one.until)}: ${one.value}`, 6, screen)),
    ]),
    ...goneColumns.flatMap(({ name, goneAt }) =>
      block(`column ${name}: removed since ${dayOf(goneAt)}`, 2, screen),
    ),
    ...overrides.flatMap(({ setting, value }) =>
      block(`set in tollkeeper.yaml: ${setting}: ${value}`, 2, screen),
    ),
  ];
};

export const renderDoctor = (
  { zone, checks, learned }: Pick<DoctorView, 'zone' | 'checks' | 'learned'>,
  screen: Screen,
): string => {
  const failed = checks.filter(({ state }) => state === 'failed').length;
  const warnings = checks.filter(({ state }) => state === 'warning').length;
  const result =
    failed === 0
      ? screen.paint('good', 'all checks passed')
      : screen.paint('bad', `${countText(failed, 'check')} failed`);
  const end = `${result}${warnings === 0 ? '' : screen.paint('warn', `, ${countText(warnings, 'warning')}`)}`;
  const lines = [
    ...checks.flatMap((check) => checkLines(check, screen)),
    ...learned.flatMap((one) => learnedLines(one, zone, screen)),
    '',
    end,
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
};
