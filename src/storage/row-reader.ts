import {
  interval,
  money,
  unixMillis,
  unixSeconds,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../core/index.ts';
import { text, wholeNumber, type Bindings, type Row, type Sql } from './sql.ts';

/** Reads one column of a row. */
type Cell<T> = (row: Row, column: string) => T;

export const millis = (row: Row | undefined, name: string): UnixMillis => unixMillis(wholeNumber(row, name));
export const seconds = (row: Row | undefined, name: string): UnixSeconds =>
  unixSeconds(wholeNumber(row, name));
export const amount = (row: Row | undefined, name: string): Money => money(text(row, name));
export const flag: Cell<boolean> = (row, name) => row[name] === true;

/** One of several texts; only code that uses them writes the column. */
export const label =
  <T extends string>(): Cell<T> =>
  (row, name) =>
    text(row, name) as T;

export const json =
  <T>(): Cell<T> =>
  (row, name) =>
    JSON.parse(text(row, name)) as T;

/** From `start_at` to `end_at`. */
export const secondsRange: Cell<Interval<UnixSeconds>> = (row) =>
  interval(seconds(row, 'start_at'), seconds(row, 'end_at'));

/** Reads a column whose name differs from the key's. */
export const column =
  <T>(name: string, cell: Cell<T>): Cell<T> =>
  (row) =>
    cell(row, name);

/** Undefined where the column is NULL. */
export const optional =
  <T>(cell: Cell<T>): Cell<T | undefined> =>
  (row, name) =>
    row[name] === null ? undefined : cell(row, name);

type Sparse<T> = Cell<T | undefined> & { readonly isSparse: true };

/** Omits the key where the column is NULL. */
export const sparse = <T>(cell: Cell<T>): Sparse<T> =>
  Object.assign(optional(cell), { isSparse: true as const });

/** Uses the same cell for several keys. */
export const all = <T, K extends string, C extends Cell<T>>(cell: C, ...keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, cell])) as { readonly [Key in K]: C };

type Shape = Readonly<Record<string, Cell<unknown>>>;
type Value<C> = C extends Sparse<infer T> ? T : C extends Cell<infer T> ? T : never;

type Values<S extends Shape> = {
  readonly [K in keyof S as S[K] extends Sparse<unknown> ? never : K]: Value<S[K]>;
} & { readonly [K in keyof S as S[K] extends Sparse<unknown> ? K : never]?: Value<S[K]> };

const columnOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Reads rows as objects: each key from the column of its name, `landedAt` from `landed_at`. */
export const rowReader = <S extends Shape>(shape: S): ((row: Row) => Values<S>) => {
  const cells = Object.entries(shape).map(([key, cell]) => [key, columnOf(key), cell] as const);
  return (row) => {
    const values: Record<string, unknown> = {};
    for (const [key, name, cell] of cells) {
      const value = cell(row, name);
      if (value !== undefined || !('isSparse' in cell)) values[key] = value;
    }
    return values as Values<S>;
  };
};

/** All rows of a statement, read as objects. */
export const readAs = async <T>(
  connection: Sql,
  read: (row: Row) => T,
  sql: string,
  bindings?: Bindings,
): Promise<readonly T[]> => (await connection.rows(sql, bindings)).map(read);
