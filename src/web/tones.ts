import type { OutboxRow, RunState } from '../storage/index.ts';

/** Independent of the colours in which it is shown. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

export const runTones: Readonly<Record<RunState, Tone>> = {
  queued: 'busy',
  running: 'busy',
  ok: 'good',
  failed: 'bad',
  interrupted: 'bad',
  missed: 'warn',
  skipped: 'warn',
};

export const mailTones: Readonly<Record<OutboxRow['state'], Tone>> = {
  queued: 'busy',
  sending: 'busy',
  sent: 'good',
  deferred: 'warn',
  failed: 'bad',
  unknown: 'bad',
  dropped: 'quiet',
  held: 'warn',
};
