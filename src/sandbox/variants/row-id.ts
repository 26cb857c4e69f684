import type { Point } from './point.ts';

const idAt: Readonly<Record<string, (at: number) => number>> = {
  'page-number': (at) => Math.floor(at / 100) + 1,
  'modulo-1024': (at) => (at + 1) % 1024,
};

export const rowId = {
  values: ['absent', 'page-number', 'modulo-1024'],
  default: 'absent',
  meaning: 'An id column that is the number of a page of 100 rows, or a running number modulo 1024.',
  statement: 'G6.15',
  logColumns: (columns, value) => {
    const id = idAt[value];
    return id === undefined
      ? columns
      : [{ name: 'id', header: 'id', write: (_, at) => String(id(at)) }, ...columns];
  },
} as const satisfies Point;
