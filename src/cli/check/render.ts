import type { JobPreview, LoadedConfig } from '../../settings.ts';
import { formatMoment, megabytesText, toSeconds, type MemoryDivision } from '../../core/index.ts';

/** A fault in the format that editors and terminals link to, with its next step below. */
export const faultLines = (faults: LoadedConfig['faults']): string =>
  faults
    .map(({ file, line, column, message, advice }) => {
      const place = `${file}:${line}:${column}: ${message}`;
      return advice === undefined ? place : `${place}\n    what to do: ${advice}`;
    })
    .join('\n');

export const warningLines = (warnings: LoadedConfig['faults']): string =>
  faultLines(warnings.map((warning) => ({ ...warning, message: `warning: ${warning.message}` })));

/** How the memory is divided, in MB of a million bytes. */
export const memoryLine = ({ limit, database, queries, node }: MemoryDivision): string =>
  [
    `memory: ${megabytesText(limit.bytes)} of the ${limit.of}`,
    `database ${megabytesText(database)}`,
    `SQL of reports ${megabytesText(queries)}`,
    `Node.js ${megabytesText(node)}`,
  ].join(' · ');

/** To the minute, unless the schedule has seconds. */
export const nextRuns = ({ next, zone }: JobPreview): readonly string[] => {
  const inSeconds = next.some((moment) => moment % 60_000 !== 0);
  return next.map((moment) => {
    const minute = formatMoment(toSeconds(moment), zone).replace(` ${zone}`, '');
    return inSeconds ? `${minute}:${String((moment / 1000) % 60).padStart(2, '0')}` : minute;
  });
};
