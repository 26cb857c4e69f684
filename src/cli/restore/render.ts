import { countText, iso, shellWord, sizeText, unixMillis } from '../../core/index.ts';
import type { ListedBackup, RestoreResult, VerifiedBackup } from '../../app/index.ts';
import { commonZone, localSlot, timesIn } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines } from '../ui/table.ts';

type Skipped = RestoreResult['skipped'][number];

/** Runs the slots of a job: the end of a range is exclusive, and a slot takes part with its second. */
const commandOf = ({ job, first, last, slots }: Skipped): string =>
  slots === 1
    ? `tollkeeper run ${shellWord(job)} --slot ${iso(first)}`
    : `tollkeeper run ${shellWord(job)} --from ${iso(first)} --to ${iso(unixMillis(last + 1000))}`;

const rangeOf = ({ first, last, zone, slots }: Skipped): string =>
  slots === 1 ? localSlot(first, zone) : `${localSlot(first, zone)} to ${localSlot(last, zone)}`;

const skippedLines = (skipped: readonly Skipped[], screen: Screen): readonly string[] =>
  skipped.length === 0
    ? []
    : [
        '',
        'skipped (restored): these slots may have run after the backup. Run those whose result is missing:',
        ...timesIn(commonZone(skipped), screen),
        ...tableLines(
          [{ title: 'JOB' }, { title: 'SLOTS' }, { title: 'FROM', spare: 1 }, { title: 'COMMAND' }],
          skipped.map((one) => ({ cells: [one.job, String(one.slots), rangeOf(one), commandOf(one)] })),
          screen,
        ),
      ];

export const renderRestore = (
  { from, name, to, files, bytes, replaced, held, skipped }: RestoreResult,
  screen: Screen,
): string => {
  const lines = [
    `restored backup ${name} of ${from} into ${to}: ${countText(files, 'file')}, ${sizeText(bytes)}, equal to the backup`,
    ...replaced.map((path) => `the data from before is kept in ${path}`),
    ...(held === 0
      ? []
      : [
          `${countText(held, 'mail')} held, unsent in the backup: look at \`tollkeeper outbox --state held\`, then \`tollkeeper outbox release\``,
        ]),
    ...skippedLines(skipped, screen),
    '',
    'next: start the daemon, then `tollkeeper status`: it shows keys that changed after the backup, and `tollkeeper keys reconcile` adopts them',
  ];
  return `${lines.join('\n')}\n`;
};

export const renderVerified = ({ from, name, files, bytes, damage }: VerifiedBackup): string =>
  damage.length === 0
    ? `backup ${name} of ${from}: ${countText(files, 'file')}, ${sizeText(bytes)}, every byte equal\n`
    : `backup ${name} of ${from} is damaged:\n${damage.map((line) => `  ${line}\n`).join('')}`;

export const renderBackups = (backups: readonly ListedBackup[], screen: Screen): string =>
  `${tableLines(
    [{ title: 'BACKUP' }, { title: 'FILES' }, { title: 'SIZE' }, { title: 'VERSION' }, { title: 'STATE' }],
    backups.map(({ name, files, bytes, program, encrypted, damage }) => ({
      cells: [
        name,
        files === undefined ? '-' : String(files),
        bytes === undefined ? '-' : sizeText(bytes),
        program ?? '-',
        damage ?? (encrypted === true ? 'encrypted' : 'complete'),
      ],
    })),
    screen,
  ).join('\n')}\n`;
