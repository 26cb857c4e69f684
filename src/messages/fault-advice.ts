import type { FaultCode } from '../core/index.ts';

/** Faults of commands, of the start of a process, and of mails themselves: no mail gives their advice. */
type UnmailedCode =
  | 'wrong-use'
  | 'job-unknown'
  | 'period-invalid'
  | 'config-invalid'
  | 'init-file-exists'
  | 'port-in-use'
  | 'gateway-url-insecure'
  | `model-${'input-invalid' | 'stream-failed' | 'task-failed' | 'task-unfinished'}`
  | 'call-not-booked'
  | 'key-current-unknown'
  | 'queries-busy'
  | 'month-open'
  | 'restore-not-empty'
  | `warehouse-${'locked' | 'missing' | 'newer' | 'older' | 'unreadable'}`
  | 'socket-path-too-long'
  | 'control-folder-unsafe'
  | `daemon-${'unreachable' | 'version-differs' | 'stopped' | 'runs'}`
  | Exclude<Extract<FaultCode, `mail-${string}`>, 'mail-not-configured'>
  | Extract<FaultCode, `webhook-${string}`>
  | 'demo-failed'
  | 'clock-before-build';

/** The next step for each fault that a mail may be about, in a language other than English, whose texts are in the catalogue. */
export type FaultAdvice = Readonly<Record<Exclude<FaultCode, UnmailedCode>, string>>;

/** Advice by code; `given`, in English, for a code without a text. */
export const adviceFrom =
  (texts: FaultAdvice) =>
  (code: string | undefined, given: string | undefined): string | undefined =>
    code !== undefined && Object.hasOwn(texts, code) ? texts[code as keyof FaultAdvice] : given;
