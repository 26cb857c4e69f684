import { formatMoment, type Interval, type LocaleTag, type UnixSeconds } from '../../core/index.ts';
import type { Comparison } from '../../warehouse/index.ts';
import { germanRunMessages } from './run-messages-de.ts';
import { chineseRunMessages } from './run-messages-zh.ts';
import { notifyCompared, type RunMessages } from './run-messages.ts';

/** The facts of a run as text in a language. */
export type RunNotes = {
  /** `reason` without a full stop. */
  readonly late: (reason: string, watermark: UnixSeconds | undefined) => string;
  readonly unread: (rows: number) => string;
  readonly unclear: (rows: number) => string;
  readonly notCompared: (reason: string) => string;
  /** With the range when it is shorter than the period. */
  readonly compared: (comparison: Comparison, part: Interval<UnixSeconds> | undefined) => string;
};

const sentences = (messages: RunMessages, zone: string, apart: string): RunNotes => {
  const at = (moment: UnixSeconds): string => formatMoment(moment, zone);
  return {
    late: (reason, watermark) => messages.late(reason, watermark === undefined ? undefined : at(watermark)),
    unread: messages.unread,
    unclear: messages.unclear,
    notCompared: messages.notCompared,
    compared: (comparison, part) =>
      [
        notifyCompared(comparison, messages),
        ...(part === undefined ? [] : [messages.part(at(part.start), at(part.end))]),
      ].join(apart),
  };
};

/** English: comparisons already contain a more detailed sentence. */
const english = (zone: string): RunNotes => ({
  late: (reason, watermark) =>
    `The data is late: ${reason}. ${watermark === undefined ? 'No call log has been pulled yet.' : `The call log is available up to ${formatMoment(watermark, zone)}.`}`,
  unread: (rows) =>
    rows === 1
      ? '1 row of the call log could not be read and is in no figure.'
      : `${rows.toLocaleString('en-US')} rows of the call log could not be read and are in no figure.`,
  unclear: (rows) =>
    `The calls include ${rows === 1 ? '1 row' : `${rows.toLocaleString('en-US')} rows`} without a charge and without tokens, which may be errors: no column of the log export tells the kind of these rows.`,
  notCompared: (reason) => `Not compared with the gateway: ${reason}`,
  compared: ({ text }, part) =>
    part === undefined
      ? text
      : `${text} The comparison covers what the log contains: from ${formatMoment(part.start, zone)} to ${formatMoment(part.end, zone)}.`,
});

/** The notes of a run about its data, in a language; moments are shown in the zone. */
export const runNotes = (tag: LocaleTag, zone: string): RunNotes => {
  switch (tag) {
    case 'en':
      return english(zone);
    case 'de':
      return sentences(germanRunMessages, zone, ' ');
    case 'zh':
      return sentences(chineseRunMessages, zone, '');
    default:
      return tag satisfies never;
  }
};
