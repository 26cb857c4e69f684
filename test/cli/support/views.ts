import { unixMillis, type UnixMillis } from '../../../src/core/index.ts';
import { noPaint, type Screen } from '../../../src/cli/ui/paint.ts';
import { widthOf } from '../../../src/cli/ui/text.ts';
import type { JobView, RunResult, RunView, StatusView } from '../../../src/app/index.ts';

export const at = (text: string): UnixMillis => unixMillis(Date.parse(text));

export const now = at('2026-11-21T08:30:00Z');

/** A good run of ten seconds, in Berlin, an hour ahead of UTC in November. */
export const runView = (slot: string, change: Partial<RunView> = {}): RunView => ({
  job: 'daily-spend',
  slot: at(slot),
  zone: 'Europe/Berlin',
  trigger: 'schedule',
  state: 'ok',
  interval: { start: unixMillis(at(slot) - 86_400_000), end: at(slot) },
  attempts: [{ attempt: 1, startedAt: at(slot), endedAt: unixMillis(at(slot) + 10_000), state: 'ok' }],
  ...change,
});

export const jobView = (job: string, change: Partial<JobView> = {}): JobView => ({
  job,
  kind: 'report',
  zone: 'Europe/Berlin',
  schedule: '0 8 * * *',
  suspend: false,
  ...change,
});

export const statusView = (change: Partial<StatusView> = {}): StatusView => ({
  version: '1.2.3',
  now,
  daemon: { pid: 4711, startedAt: at('2026-11-20T05:30:00Z'), stopping: false },
  config: { loadedAt: at('2026-11-20T05:30:00Z'), faults: [], atNextStart: [] },
  jobs: [],
  open: [],
  mail: { waiting: 0, failed: 0, unknown: 0, held: 0 },
  ...change,
});

export const resultOf = (run: RunView, change: Partial<RunResult> = {}): RunResult => ({
  run,
  already: false,
  figures: { rows: 12 },
  mail: { sent: 0, deferred: 0, failed: 0, unknown: 0, queued: 0 },
  ...change,
});

/** Longer than any terminal, in a script of wide characters, with things that would move its cursor. */
export const hostile = `\u001B[2J\u001B]0;title\u0007${'网关没有响应，请检查网络。'.repeat(20)}\r\n\u202Eevil\u0000 ${'x'.repeat(300)} 👩‍👩‍👧 e\u0301nd`;

export const screens: readonly (readonly [string, Screen])[] = [
  ['60 columns', { paint: noPaint, width: 60 }],
  ['100 columns', { paint: noPaint, width: 100 }],
  ['a pipe', { paint: noPaint }],
];

/** What is wrong with a page for this screen; nothing when it is well. */
export const pageFaults = (page: string, { width = Number.POSITIVE_INFINITY }: Screen): readonly string[] => [
  ...(page.endsWith('\n') ? [] : ['does not end its last line']),
  // oxlint-disable-next-line no-control-regex
  ...(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/.test(page)
    ? ['holds a control character']
    : []),
  ...page
    .split('\n')
    .filter((line) => widthOf(line) > width || line !== line.trimEnd())
    .map((line) => `too wide or with blanks at its end: ${line}`),
];
