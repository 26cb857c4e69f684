import { BYTE_ORDER_MARK, cell, line } from '../admin/csv.ts';
import { dateText } from '../time-zone.ts';
import type { Point } from './point.ts';

function* titled(body: Iterable<string>, title: string): Generator<string, void> {
  let isFirst = true;
  for (const piece of body) {
    yield isFirst ? BYTE_ORDER_MARK + title + piece.replace(BYTE_ORDER_MARK, '') : piece;
    isFirst = false;
  }
}

export const titleLine = {
  values: ['absent', 'present'],
  default: 'absent',
  meaning: 'A title line before the header of the log export.',
  statement: 'G6.13',
  answer: (answer, value, { request, now }) => {
    const isExport = request.path === '/api/log/self/stream-export' && value !== 'absent';
    if (!isExport || typeof answer.body === 'string' || answer.body instanceof Uint8Array) return answer;
    const title = line([cell(`Call log of tollgate, exported ${dateText(Math.floor(now / 86_400))}`)]);
    return { ...answer, body: titled(answer.body, title) };
  },
} as const satisfies Point;
