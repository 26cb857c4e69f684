import type { LocalDate, Money, UnixMillis } from '../core/index.ts';
import type { RunState } from '../storage/index.ts';
import type { AlertView } from '../monitoring/index.ts';
import type { SpendView } from './spend-view.ts';
import type { OutboxView, StatusView } from './status-view.ts';

/** The days of a job in the strip: the worst state of the runs of each day; null on days without runs. */
export type JobDays = {
  readonly job: string;
  readonly account: string;
  readonly states: readonly (RunState | null)[];
};

/** A key as the last snapshot or the key journal shows it. */
export type KeyAgeView = {
  readonly account: string;
  readonly keyId: number;
  readonly name: string;
  readonly service: string;
  readonly team?: string | undefined;
  readonly created?: UnixMillis | undefined;
  readonly expires?: UnixMillis | undefined;
  /** The job that rotates it, and the age in milliseconds at which it does. */
  readonly job?: string | undefined;
  readonly every?: number | undefined;
};

export type KeysView = {
  /** Oldest first; keys of unknown age last. */
  readonly keys: readonly KeyAgeView[];
  /** Time of the oldest snapshot among the accounts; missing without one. */
  readonly readAt?: UnixMillis | undefined;
};

/** A mail that a scheduled run is going to send. */
export type NextMailView = {
  readonly job: string;
  readonly at: UnixMillis;
  readonly zone: string;
  readonly team?: string | undefined;
  readonly to: readonly string[];
};

/** What the status page shows, of all or of one team. Times in milliseconds UTC. */
export type PageView = {
  readonly status: StatusView;
  readonly team?: string | undefined;
  /** All teams of the configuration. */
  readonly teams: readonly string[];
  readonly spend: readonly (SpendView & {
    /** The monthly budget of the account or team. */
    readonly budget?: Money | undefined;
  })[];
  readonly alerts: readonly AlertView[];
  readonly history: { readonly days: readonly LocalDate[]; readonly jobs: readonly JobDays[] };
  readonly keys: KeysView;
  readonly nextMails: readonly NextMailView[];
  readonly mails: {
    /** Refused, given up, or of unknown outcome. */
    readonly stuck: readonly OutboxView[];
    readonly waiting: readonly OutboxView[];
  };
};
