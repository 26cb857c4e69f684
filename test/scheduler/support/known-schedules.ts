import { slotsIn, textOf, type DayField, type Field, type Pattern } from '../oracle.ts';

/** A schedule as the oracle of the slots reads it. */
export type KnownSchedule = { readonly text: string; readonly pattern: Pattern };

const field = (text: string, most: number, step = 1): Field => ({
  text,
  values: new Set(
    text.startsWith('*')
      ? Array.from({ length: Math.ceil((most + 1) / step) }, (_, index) => index * step)
      : text.split(',').map(Number),
  ),
  wild: text.startsWith('*'),
});
const months: Field = {
  text: '*',
  values: new Set(Array.from({ length: 12 }, (_, index) => index + 1)),
  wild: true,
};
const everyDay: DayField = { text: '*', set: false, deps: () => true };
const dayOfMonth = (day: number): DayField => ({
  text: String(day),
  set: true,
  deps: (_, __, date) => date === day,
});
const monday: DayField = {
  text: '1',
  set: true,
  deps: (year, month, date) => new Date(Date.UTC(year, month - 1, date)).getUTCDay() === 1,
};

const at = (minute: Field, hour: Field, rest: Partial<Pattern> = {}): KnownSchedule => {
  const pattern: Pattern = {
    second: undefined,
    minute,
    hour,
    date: everyDay,
    month: months,
    weekday: everyDay,
    dayMatch: 'any',
    ...rest,
  };
  return { text: textOf(pattern), pattern };
};
const anyMinute = field('*', 59);
const anyHour = field('*', 23);

export const everySecond = at(anyMinute, anyHour, { second: field('*', 59) });
export const everyMinute = at(anyMinute, anyHour);
export const hourly = at(field('0', 59), anyHour);
export const daily = at(field('30', 59), field('2', 23));
export const monthly = at(field('0', 59), field('8', 23), { date: dayOfMonth(1) });
/** Far away from whatever the tests do. */
export const leapDays = at(field('0', 59), field('0', 23), {
  date: dayOfMonth(29),
  month: { text: '2', values: new Set([2]), wild: false },
});

/** From every second to once a month. */
export const knownSchedules: readonly KnownSchedule[] = [
  everySecond,
  at(anyMinute, anyHour, { second: field('*/10', 59, 10) }),
  everyMinute,
  at(field('*/5', 59, 5), anyHour),
  hourly,
  at(field('7,37', 59), anyHour),
  at(field('0', 59), field('*/6', 23, 6)),
  daily,
  at(field('15', 59), field('1', 23), { weekday: monday }),
  monthly,
];

const byText = new Map([...knownSchedules, leapDays].map((known) => [known.text, known]));
export const knownSchedule = (text: string): KnownSchedule => {
  const known = byText.get(text);
  if (known === undefined) throw new Error(`the oracle has no schedule ${text}`);
  return known;
};

const second = 1000;
const hour = 3600 * second;
const blocks = new Map<string, readonly number[]>();
const keptBlocks = 300;

/** Slots are worked out by stretches of time, each once: short ones for schedules that come often. */
const blockSize = ({ pattern }: KnownSchedule): number =>
  pattern.second !== undefined ? 6 * hour : pattern.minute.wild ? 4 * 24 * hour : 64 * 24 * hour;

const blockOf = (known: KnownSchedule, zone: string, index: number): readonly number[] => {
  const key = `${known.text} ${zone} ${index}`;
  const cached = blocks.get(key);
  if (cached !== undefined) return cached;
  const size = blockSize(known) / second;
  const slots = slotsIn(known.pattern, zone, index * size - 1, (index + 1) * size - 1);
  for (const oldest of blocks.keys()) {
    if (blocks.size < keptBlocks) break;
    blocks.delete(oldest);
  }
  const block = slots.map((slot) => slot * second);
  blocks.set(key, block);
  return block;
};

/** The newest slots in (after, until], newest first, at most so many. All in milliseconds. */
export const newestSlots = (
  known: KnownSchedule,
  zone: string,
  after: number,
  until: number,
  most: number,
): readonly number[] => {
  const size = blockSize(known);
  const found: number[] = [];
  for (let index = Math.floor(until / size); (index + 1) * size > after; index -= 1) {
    const block = blockOf(known, zone, index);
    for (let place = block.length - 1; place >= 0; place -= 1) {
      const slot = block[place] ?? 0;
      if (slot > until) continue;
      if (slot <= after || found.length === most) return found;
      found.push(slot);
    }
  }
  return found;
};

/** The first slot in (after, until]. */
export const firstSlot = (
  known: KnownSchedule,
  zone: string,
  after: number,
  until: number,
): number | undefined => {
  const size = blockSize(known);
  for (let index = Math.floor(after / size); index * size <= until; index += 1) {
    const slot = blockOf(known, zone, index).find((one) => one > after);
    if (slot !== undefined) return slot <= until ? slot : undefined;
  }
  return undefined;
};

/** The slot before a slot. */
export const slotBefore = (known: KnownSchedule, zone: string, slot: number): number | undefined =>
  newestSlots(known, zone, slot - 5 * 366 * 24 * hour, slot - 1, 1)[0];
