import { lateText } from '../../core/index.ts';
import { unmatchedText, type Selector } from '../../monitoring/index.ts';
import type { RunNotes } from '../run-notes.ts';
import { moment } from './dates.ts';

const clauseOf = (selector: Selector): string => {
  const text = unmatchedText(selector);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
};

const unread = (rows: number): string =>
  rows === 1
    ? '1 row of the call log could not be read and is in no figure.'
    : `${rows.toLocaleString('en-US')} rows of the call log could not be read and are in no figure.`;

/** English: comparisons already contain a more detailed sentence. */
export const englishRunNotes = (zone: string): RunNotes => ({
  late: (late, watermark) =>
    `The data is late: ${lateText(late)}. ${watermark === undefined ? 'No call log has been pulled yet.' : `The call log is available up to ${moment(watermark, zone)}.`}`,
  unread,
  afterWatermark: (calls) =>
    calls === 1
      ? 'The figures contain 1 call after the end of the data. More calls of that time may follow: it is pulled again.'
      : `The figures contain ${calls.toLocaleString('en-US')} calls after the end of the data. More calls of that time may follow: it is pulled again.`,
  unclear: (rows) =>
    `The calls include ${rows === 1 ? '1 row' : `${rows.toLocaleString('en-US')} rows`} without a charge and without tokens, which may be errors: no column of the log export tells the kind of these rows.`,
  unmatched: (selector) => clauseOf(selector),
  unmatchedNote: ({ near, ...selector }) =>
    `${clauseOf(selector)}.${near.length === 0 ? '' : ` Similar names: ${near.join(', ')}.`}`,
  notCompared: (reason) => `Not compared with the gateway: ${reason}`,
  compared: ({ text }, part, rows) =>
    [
      text,
      ...(part === undefined
        ? []
        : [
            `The comparison covers what the log contains: from ${moment(part.start, zone)} to ${moment(part.end, zone)}.`,
          ]),
      ...(rows === 0 ? [] : [unread(rows)]),
    ].join(' '),
});
