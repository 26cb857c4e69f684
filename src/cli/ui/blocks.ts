import { divideMoney, type UnixMillis } from '../../core/index.ts';
import {
  partsOf,
  type Block,
  type BlockCell,
  type BlockItem,
  type BlockNote,
  type BlockText,
} from '../../app/index.ts';
import { lines } from './lines.ts';
import { describeDuration, describeUntil } from './messages.ts';
import { commonZone, localSlot, localMoment, timesIn } from './moment.ts';
import type { Screen } from './paint.ts';
import { tableLines, type Cell, type Row } from './table.ts';
import { clip, oneLine } from './text.ts';

type Look = Screen & {
  readonly now: UnixMillis;
  /** Of times that name none. */
  readonly zone: string;
};

type Meter = NonNullable<BlockCell['meter']>;

/** A table says in which zone its times are, a sentence says it beside each. */
const textOf = (text: BlockText, { now, zone }: Look, isSentence: boolean): string =>
  partsOf(text)
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('millis' in part) return describeDuration(part.millis);
      const own = part.zone ?? zone;
      if (part.isAhead === true) return describeUntil(part.at, now);
      if (isSentence) return `${localMoment(part.at, own)} ${own}`;
      return (part.isExact === true ? localSlot : localMoment)(part.at, own);
    })
    .join('');

const barWidth = 10;

/** `████▌·····`: one character per tenth of the budget. */
const barOf = (meter: Meter | undefined): string => {
  const share = meter?.value === undefined ? undefined : divideMoney(meter.value, meter.of, 4);
  if (share === undefined) return '-';
  const filled = Math.max(0, Math.min(barWidth, Math.round(Number(share) * barWidth)));
  return `${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}`;
};

const noteLines = ({ text, tone, advice, isDetail }: BlockNote, look: Look): readonly string[] => {
  const indent = isDetail === true ? 2 : 0;
  return [
    ...lines(textOf(text, look, true), indent, look, tone ?? 'plain'),
    ...(advice === undefined ? [] : lines(`what to do: ${advice}`, indent + 2, look)),
  ];
};

/** Columns that a short text needs at least. */
const least = 40;

const noteCell = ({ text, tone, isShort }: BlockNote, look: Look): Cell => {
  const whole = oneLine(textOf(text, look, true));
  return {
    text: isShort === true ? clip(whole, Math.max(least, (look.width ?? 200) - 4)) : whole,
    style: tone ?? 'plain',
  };
};

/** Columns of a name on a narrow terminal. */
const nameRoom = ({ width }: Screen): number =>
  width === undefined ? Number.POSITIVE_INFINITY : Math.max(12, Math.floor(width / 3));

const rowOf = (item: BlockItem, zone: string | undefined, hasMeter: readonly boolean[], look: Look): Row => {
  const { name, state, cells = [], notes = [], advice } = item;
  const [note, ...below] = notes.map((one) => noteCell(one, look));
  return {
    cells: [
      clip(oneLine(name), nameRoom(look)),
      { text: state?.text ?? '-', style: state?.tone ?? 'plain' },
      ...cells.flatMap(({ value, of, meter }, at) => [
        value === undefined ? '-' : textOf(value, look, false),
        ...(of === undefined ? [] : [of]),
        ...(hasMeter[at] === true ? [barOf(meter)] : []),
      ]),
      ...(zone === undefined && item.zone !== undefined ? [item.zone] : []),
    ],
    note,
    below: [...below, ...(advice === undefined ? [] : [`what to do: ${advice}`])],
  };
};

/** Without the cells that no item has. */
const withoutEmpty = (items: readonly BlockItem[]): readonly BlockItem[] => {
  const isShown = (_: unknown, at: number): boolean =>
    items.some(({ cells = [] }) => cells[at]?.value !== undefined || cells[at]?.of !== undefined);
  return items.map((item) => ({ ...item, cells: (item.cells ?? []).filter(isShown) }));
};

const itemLines = (noun: string, all: readonly BlockItem[], look: Look): readonly string[] => {
  const items = withoutEmpty(all);
  const [first] = items;
  const cells = first?.cells ?? [];
  const hasMeter = cells.map((_, at) => items.some((item) => item.cells?.[at]?.meter !== undefined));
  const zones = items.flatMap(({ zone }) => (zone === undefined ? [] : [{ zone }]));
  const zone = zones.length === 0 ? look.zone : commonZone(zones);
  return [
    ...(zones.length === 0 ? [] : timesIn(zone, look)),
    ...tableLines(
      [
        { title: noun.toUpperCase() },
        { title: 'STATE' },
        ...cells.flatMap(({ title, of, spare }, at) => [
          { title: title.toUpperCase(), ...(spare === undefined ? {} : { spare }) },
          ...(of === undefined ? [] : [{ title: 'OF' }]),
          ...(hasMeter[at] === true ? [{ title: '', spare: 3 }] : []),
        ]),
        ...(zone === undefined ? [{ title: 'ZONE', spare: 1 }] : []),
      ],
      items.map((item) => rowOf(item, zone, hasMeter, look)),
      look,
    ),
  ];
};

const blockLines = (block: Block, look: Look): readonly string[] => {
  const { title, noun = title, notes = [], items = [], most = items.length, all = '', advice } = block;
  const shown = items.slice(0, most);
  const more = items.length - shown.length;
  return [
    ...notes.flatMap((note) => noteLines(note, look)),
    ...(shown.length === 0 ? [] : itemLines(noun, shown, look)),
    ...(more === 0 ? [] : lines(`and ${more} more: \`${all}\``, 2, look, 'quiet')),
    ...(advice === undefined ? [] : lines(`what to do: ${advice}`, 2, look)),
  ];
};

/** Blocks of a status, with an empty line between them. */
export const blocksText = (blocks: readonly Block[], look: Look): readonly string[] =>
  blocks.flatMap((block, at) => [...(at === 0 ? [] : ['']), ...blockLines(block, look)]);
