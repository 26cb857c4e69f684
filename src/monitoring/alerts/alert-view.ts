import type { Money, UnixMillis } from '../../core/index.ts';
import type { AlertAcknowledgement, AlertMute, StoredAlert } from '../../warehouse/index.ts';

/** A figure beside its budget, of which it may be unknown. */
export type AlertMeter = {
  readonly value?: Money | undefined;
  readonly of: Money;
  readonly forecast?: Money | undefined;
  /** ISO 4217. */
  readonly currency: string;
};

/** One figure of an alert: a column in a terminal, a line on the page. */
export type AlertCell = {
  readonly title: string;
  /** Missing where it is unknown. */
  readonly text?: string | undefined;
  /** What it is a part of: `$500.00`. */
  readonly of?: string | undefined;
  /** Narrow terminals omit cells with a number, the highest first. */
  readonly spare?: number;
  /** Drawn beside the text. */
  readonly meter?: AlertMeter;
};

/** What a rule shows of one of its alerts, in English, wherever people look: in commands, on the page, in JSON, feed and metrics. */
export type AlertShown = {
  readonly alert: string;
  /** `ok`, `not-evaluated`, `unknown`, or what the rule calls it. */
  readonly state: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'quiet';
  /** What the rule watches, above its alerts in a table: `Budget`. Missing where tables omit the alert. */
  readonly title?: string;
  /** The part of the account that it is about: `team search`. */
  readonly scope?: string | undefined;
  /** The team that it concerns. */
  readonly team?: string | undefined;
  /** Time zone of its times; defaults to that of the configuration. */
  readonly zone?: string | undefined;
  readonly cells: readonly AlertCell[];
  /** By name, as JSON has them. */
  readonly texts: {
    readonly [Name in string]?: string | undefined;
  } & {
    readonly reason?: string | undefined;
    /** What else helps to judge the alert, as a sentence. */
    readonly note?: string | undefined;
    /** The next step where the state is unknown. */
    readonly hint?: string | undefined;
  };
  /** Whether `alerts` exits with 1 while its state is unknown. */
  readonly mustBeKnown?: boolean;
};

/** An alert as commands and the page show it. Times are milliseconds UTC. */
export type AlertView = AlertShown & {
  readonly account: string;
  readonly zone: string;
  /** As it is stored. */
  readonly status?: object | undefined;
  readonly evaluatedAt?: UnixMillis | undefined;
  readonly firing: readonly StoredAlert[];
  readonly mute?: AlertMute | undefined;
  /** Set when all firing alerts are acknowledged. */
  readonly acknowledged?: AlertAcknowledgement | undefined;
};
