import type { OutboxView, RunView } from './status-view.ts';

/** Independent of the colours in which it is shown. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

export const runTones: Readonly<Record<RunView['state'], Tone>> = {
  queued: 'busy',
  running: 'busy',
  ok: 'good',
  failed: 'bad',
  interrupted: 'bad',
  missed: 'warn',
  skipped: 'warn',
};

export const mailTones: Readonly<Record<OutboxView['state'], Tone>> = {
  queued: 'busy',
  sending: 'busy',
  sent: 'good',
  deferred: 'warn',
  failed: 'bad',
  unknown: 'bad',
  dropped: 'quiet',
  held: 'warn',
};
