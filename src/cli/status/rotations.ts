import type { StatusView } from '../../daemon/index.ts';
import { shellWord } from '../../core/index.ts';
import { localMoment } from '../ui/moment.ts';
import type { Screen, Style } from '../ui/paint.ts';
import { describeTries } from '../ui/rotation-messages.ts';
import { tableLines, type Row } from '../ui/table.ts';
import { clip, oneLine, wrap } from '../ui/text.ts';

type Data = NonNullable<StatusView['data']>;
type Rotation = NonNullable<Data['rotations']>[number];
type Look = Screen & { readonly now: number };

/** Keeps the output readable; `keys list` and --json show all. */
const most = 20;

const ranks: readonly ((rotation: Rotation) => boolean)[] = [
  ({ stage }) => stage === 'waiting',
  ({ escalated, isHeldByPlace }) => escalated === true || isHeldByPlace === true,
  ({ tries }) => tries > 0,
  () => true,
];
const rankOf = (rotation: Rotation): number => ranks.findIndex((holds) => holds(rotation));
const styles: readonly Style[] = ['bad', 'bad', 'warn', 'busy'];

const rowOf = (rotation: Rotation, many: boolean, { zone }: Data, { now, width }: Look): Row => {
  const tries = describeTries(rotation, now);
  const short = (text: string): string =>
    width === undefined ? oneLine(text) : clip(oneLine(text), Math.max(12, Math.floor(width / 3)));
  return {
    cells: [
      short(rotation.service),
      ...(many ? [short(rotation.account)] : []),
      { text: rotation.stage, style: styles[rankOf(rotation)] ?? 'plain' },
      localMoment(rotation.since, zone),
    ],
    below: [
      { text: rotation.message, style: rankOf(rotation) < 2 ? 'bad' : 'plain' },
      ...(tries === undefined ? [] : [{ text: tries, style: 'warn' as const }]),
    ],
  };
};

const lines = (text: string, { width, paint }: Screen, style: Style): readonly string[] =>
  (width === undefined ? [oneLine(text)] : wrap(oneLine(text), width)).map((line) => paint(style, line));

const problemLines = ({ keyProblem, clockProblems = [] }: Data, look: Look): readonly string[] => [
  ...clockProblems.flatMap(({ account, message }) => ['', ...lines(`${account}: ${message}`, look, 'bad')]),
  ...(keyProblem === undefined
    ? []
    : [
        '',
        ...lines(`key operations are suspended: ${keyProblem.message}`, look, 'bad'),
        ...lines(`what to do: ${keyProblem.advice} (${keyProblem.code})`, look, 'plain'),
      ]),
];

const outdatedLines = ({ outdated = [] }: Data, look: Look): readonly string[] =>
  outdated.flatMap(({ service, differences }) => [
    '',
    ...lines(`key operations of ${service} are suspended: the key journal is out of date`, look, 'bad'),
    ...differences.flatMap((message) => lines(message, look, 'plain')),
    ...lines(
      `what to do: stop any other Tollkeeper that manages it, then run \`tollkeeper keys reconcile ${shellWord(service)}\``,
      look,
      'plain',
    ),
  ]);

const deadKeyLines = ({ deadKeys = [], zone }: Data, look: Look): readonly string[] =>
  deadKeys.flatMap(({ service, place, name, state, since }) => [
    '',
    ...lines(`${place} holds ${name}, which is ${state} (read ${localMoment(since, zone)})`, look, 'bad'),
    ...lines(
      `what to do: \`tollkeeper keys rotate ${shellWord(service)}\` delivers a working key`,
      look,
      'plain',
    ),
  ]);

/** Open rotations, those that need a person first. */
export const rotationLines = ({ data, daemon }: StatusView, look: Look): readonly string[] => {
  if (data === undefined) return [];
  const { rotations = [] } = data;
  const stopped = [...problemLines(data, look), ...outdatedLines(data, look), ...deadKeyLines(data, look)];
  if (rotations.length === 0) return stopped;
  const many = new Set(rotations.map(({ account }) => account)).size > 1;
  const shown = rotations.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, most);
  const more = rotations.length - shown.length;
  return [
    ...stopped,
    '',
    ...tableLines(
      [
        { title: 'ROTATION' },
        ...(many ? [{ title: 'ACCOUNT', spare: 1 }] : []),
        { title: 'STAGE' },
        { title: `SINCE (${data.zone})`, spare: 2 },
      ],
      shown.map((rotation) => rowOf(rotation, many, data, look)),
      look,
    ),
    ...(more === 0 ? [] : lines(`and ${more} more: \`tollkeeper keys list\``, look, 'quiet')),
    ...(daemon === undefined
      ? lines('no daemon is running: they advance only while `tollkeeper serve` runs', look, 'warn')
      : []),
  ];
};
