import {
  divideMoney,
  subtractMoney,
  sumMoney,
  zero,
  trimEndOf,
  type Money,
  trimOf,
} from '../../core/index.ts';
import { waterfallOf } from '../compose/changes/build-changes.ts';
import { buildFigures } from '../compose/build-figures.ts';
import { stateOf } from '../compose/build-table.ts';
import { comparedOf, quotientOf, type QueryTable, type Row } from '../compose/query-table.ts';
import { isWithheld } from '../compose/show-value.ts';
import { causeLabel } from '../compose/changes/describe-cause.ts';
import type { Context } from '../compose/context.ts';
import type { Locale } from '../../messages/index.ts';
import type { SectionShape } from '../definition/definition.ts';
import {
  nameOfHeadline,
  type ChangesShape,
  type ColumnShape,
  type TableShape,
  type Format,
} from '../definition/section-shapes.ts';
import type { FigureModel, HeadlineModel } from '../compose/model.ts';
import type { Cell } from '../definition/port.ts';
import type { DataCell, DataColumn, DataFormat, DataTable, ReportData } from './data.ts';

/** A title as a part of a file's name: `Tokens by model` is `tokens-by-model`. Nothing for one in another script. */
const fileWord = (title: string): string | undefined => {
  if (/[^\P{L}a-z]/iu.test(title)) return undefined;
  const word = trimOf(title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), '-').slice(0, 60);
  return word === '' ? undefined : word;
};

/** The names, with `_2`, `_3` appended to repeated ones, regardless of case. */
const distinct = (names: readonly string[], taken: readonly string[] = [], mark = '_'): readonly string[] => {
  const known = new Set(taken.map((name) => name.toLowerCase()));
  return names.map((name) => {
    let candidate = name;
    for (let number = 2; known.has(candidate.toLowerCase()); number += 1)
      candidate = `${name}${mark}${number}`;
    known.add(candidate.toLowerCase());
    return candidate;
  });
};

const formats: Readonly<Record<Format, DataFormat>> = {
  money: 'money',
  cents: 'money',
  rate: 'money',
  integer: 'number',
  number: 'number',
  tokens: 'number',
  exact: 'number',
  duration: 'number',
  percent: 'ratio',
  date: 'date',
  moment: 'moment',
  text: 'text',
};

/** Appended to the label when the numbers alone are ambiguous. */
const units: Partial<Record<Format, string>> = { duration: ' (s)', moment: ' (UTC)' };

/** Decimals of shares and changes. */
const ratioPlaces = 12;

/** The same result as `money`, but much faster: engines return plain decimals, at most with trailing zeros. */
const plainDecimal = (text: string): string =>
  text.includes('.') ? trimEndOf(trimEndOf(text, '0'), '.').replace(/^-0$/, '0') : text;

const cellText = (cell: Cell): DataCell => (cell === null || cell === '' ? null : String(cell));

/** Of seconds UTC. */
const momentOf = (seconds: DataCell): DataCell => {
  const millis = Number(seconds) * 1000;
  if (seconds === null || !(Math.abs(millis) < 8.64e15)) return null;
  return new Date(millis).toISOString().replace(/\.\d+Z$/, 'Z');
};

type Maker = {
  readonly name: string;
  readonly format: DataFormat;
  readonly value: (row: Row) => DataCell;
  /** What people read in place of the value, where the empty one has a name too. */
  readonly word?: ((value: DataCell) => DataCell) | undefined;
  /** For the row of sums. */
  readonly total: (row: Row) => DataCell;
};

const nothing = (): DataCell => null;

const makerOf = (column: ColumnShape, table: QueryTable): Maker | undefined => {
  const { name, share_of: shareOf, change_of: changeOf, difference_of: differenceOf } = column;
  const { quotient, format = 'text' } = column;
  if (shareOf !== undefined) {
    const whole = sumMoney(table.rows.map((row) => table.figure(row, shareOf) ?? zero));
    const value = (row: Row): DataCell => {
      const part = table.figure(row, shareOf);
      return part === null ? null : (divideMoney(part, whole, ratioPlaces) ?? null);
    };
    return { name: `${shareOf}_share`, format: 'ratio', value, total: nothing };
  }
  if (changeOf !== undefined) {
    const value = (row: Row): DataCell => {
      const compared = comparedOf(table, row, changeOf);
      if (compared === undefined || compared.before.startsWith('-')) return null;
      const { now, before } = compared;
      return divideMoney(subtractMoney(now, before), before, ratioPlaces) ?? null;
    };
    return { name: `${changeOf}_change`, format: 'ratio', value, total: value };
  }
  if (differenceOf !== undefined) {
    const value = (row: Row): DataCell => {
      const compared = comparedOf(table, row, differenceOf);
      return compared === undefined ? null : subtractMoney(compared.now, compared.before);
    };
    return { name: `${differenceOf}_difference`, format: 'money', value, total: value };
  }
  if (quotient !== undefined) {
    const value = (row: Row): Money | null => quotientOf(table, row, quotient);
    return { name: `${quotient.of}_per_${quotient.by}`, format: formats[format], value, total: value };
  }
  if (name === undefined) return undefined;
  if (format === 'date' || format === 'text') {
    const value = (row: Row): DataCell => {
      const text = cellText(table.cell(row, name));
      return text !== null && format === 'date' ? text.slice(0, 10) : text;
    };
    const { names, empty } = column;
    const word =
      names === undefined || empty === undefined
        ? undefined
        : (code: DataCell): DataCell => (code === null ? empty : (names[code] ?? code));
    return { name, format: formats[format], value, word, total: nothing };
  }
  const value = (row: Row): DataCell => {
    const text = cellText(table.cell(row, name));
    return text === null ? null : plainDecimal(text);
  };
  if (format === 'moment')
    return { name, format: formats[format], value: (row) => momentOf(value(row)), total: nothing };
  return { name, format: formats[format], value, total: table.isFigure(name) ? value : nothing };
};

const tableOf = (shape: TableShape, name: string, context: Context): DataTable => {
  const table = context.table(shape.sql);
  const made = shape.columns
    .filter((one) => !one.only_in_report)
    .flatMap((column) => {
      const maker = makerOf(column, table);
      const isShown = !isWithheld(column.format ?? 'text', context);
      const isKnown = (column.change_of ?? column.difference_of) === undefined || context.comparable;
      if (maker === undefined) return [];
      return [
        {
          ...maker,
          ...(isKnown && isShown ? {} : { value: nothing, total: nothing }),
          label: `${column.label}${units[column.format ?? 'text'] ?? ''}`,
        },
      ];
    });
  const names = distinct(made.map((maker) => maker.name));
  const columns = made.map(({ label, format }, at): DataColumn => ({
    name: names[at] ?? '',
    label: label || (names[at] ?? ''),
    format,
  }));
  const sums = shape.total ? table.sum(table.rows) : undefined;
  const { apart } = shape;
  const nameAt = made.findIndex(({ format }) => format === 'text');
  const nameOf = (row: Row): string | undefined =>
    apart !== undefined && table.cell(row, apart.when) === true ? apart.label : undefined;
  // Missing is not zero: for a day without data only its name is known.
  const missing = table.rows.map((row) => stateOf(shape, table, row, context) === 'missing');
  const rows = table.rows.map((row, index) =>
    made.map(({ format, value }, at) => {
      if (missing[index] === true && format !== 'date' && format !== 'text') return null;
      return (at === nameAt ? nameOf(row) : undefined) ?? value(row);
    }),
  );
  const labelledRows = rows.map((cells, index) =>
    cells.map((cell, at) => {
      const word = made[at]?.word;
      return word === undefined || missing[index] === true ? cell : word(cell);
    }),
  );
  return {
    name,
    title: shape.title,
    columns,
    rows,
    ...(made.some(({ word }) => word !== undefined) ? { labelledRows } : {}),
    ...(sums === undefined ? {} : { total: made.map(({ total }) => total(sums)) }),
  };
};

const figureColumns: readonly DataColumn[] = [
  { name: 'figure', label: 'Figure', format: 'text' },
  { name: 'value', label: 'Value', format: 'number' },
  { name: 'unit', label: 'Unit', format: 'text' },
  { name: 'change', label: 'Change', format: 'ratio' },
  { name: 'shown', label: 'Shown', format: 'text' },
  { name: 'note', label: 'Note', format: 'text' },
  { name: 'bound', label: 'Bound', format: 'text' },
];

const unitOf = (format: Format, currency: string): DataCell => {
  if (formats[format] === 'money') return currency;
  if (format === 'duration') return 's';
  if (format === 'moment') return 'Unix seconds';
  return formats[format] === 'ratio' ? 'ratio' : null;
};

const rowOfFigure = (
  { label, format, value, change, note, isLowerBound }: FigureModel,
  currency: string,
): readonly DataCell[] => [
  label,
  value.exact,
  unitOf(format, currency),
  change?.ratio ?? null,
  value.text,
  note?.text ?? null,
  isLowerBound === true ? 'lower bound' : null,
];

const changeColumns = ({ messages: { changes } }: Locale): readonly DataColumn[] => [
  { name: 'cause', label: changes.cause, format: 'text' },
  { name: 'amount', label: changes.amount, format: 'money' },
  { name: 'leading_model', label: 'Leading model', format: 'text' },
  { name: 'leading_key', label: 'Leading key', format: 'text' },
  { name: 'leading_amount', label: 'Amount of the leading model and key', format: 'money' },
];

/** The parts of the change that are not zero, exact, each with what contributes most to it; they add up to the change. */
const changesTable = (shape: ChangesShape, name: string, context: Context): DataTable => {
  const waterfall = waterfallOf(shape, context);
  return {
    name,
    title: shape.title,
    columns: changeColumns(context.locale),
    rows: (waterfall?.parts ?? [])
      .filter(({ amount }) => amount !== zero)
      .map((part) => {
        const { contributor } = part;
        return [
          causeLabel(part, context.locale),
          part.amount,
          contributor?.model ?? null,
          contributor?.key ?? null,
          contributor?.amount ?? null,
        ];
      }),
    ...(waterfall === undefined ? {} : { total: [null, waterfall.change, null, null, null] }),
  };
};

/** The data behind the sections: every row, exact, with original names. */
export const buildData = (
  headline: HeadlineModel,
  sections: readonly SectionShape[],
  context: Context,
): ReportData => {
  const tables = sections
    .filter((section) => section.kind === 'table' || section.kind === 'changes')
    .filter(
      (section) =>
        section.kind === 'changes' || !section.optional || context.table(section.sql).rows.length > 0,
    );
  const names = distinct(
    tables.map(({ title, sql }) => fileWord(title) ?? fileWord(sql.replace(/\.sql$/, '')) ?? 'table'),
    ['figures'],
    '-',
  );
  const figures = sections.flatMap((section) =>
    section.kind === 'figures' ? buildFigures(section, context).figures : [],
  );
  return {
    figureNames: [nameOfHeadline, ...figures.map(({ name }) => name)],
    figures: {
      name: 'figures',
      title: 'Figures',
      columns: figureColumns,
      rows: [
        [
          headline.label,
          headline.value.exact,
          context.currency,
          headline.change.ratio,
          headline.value.text,
          headline.compared || null,
          null,
        ],
        ...figures.map((figure) => rowOfFigure(figure, context.currency)),
      ],
    },
    tables: tables.map((shape, at) =>
      shape.kind === 'changes'
        ? changesTable(shape, names[at] ?? '', context)
        : tableOf(shape, names[at] ?? '', context),
    ),
  };
};
