import type { UnixMillis } from '../core/index.ts';
import type { AlertCell } from '../monitoring/index.ts';
import type { Tone } from './tones.ts';

/** A time, in the zone of the status if it names none. */
export type Moment = {
  readonly at: UnixMillis;
  readonly zone?: string | undefined;
  /** A terminal shows how long it is until then. */
  readonly isAhead?: boolean;
  /** With its seconds, if it has any. */
  readonly isExact?: boolean;
};

/** Milliseconds. */
export type Duration = { readonly millis: number };

export type Part = string | Moment | Duration;

/** A text whose times and durations each surface writes in its way; commands are in `backticks`. */
export type Text = Part | readonly Part[];

const isList = (text: Text): text is readonly Part[] => Array.isArray(text);

export const partsOf = (text: Text): readonly Part[] => (isList(text) ? text : [text]);

export type Note = {
  readonly text: Text;
  readonly tone?: Tone | undefined;
  /** The next step. */
  readonly advice?: string | undefined;
  /** Belongs to the note before it. */
  readonly isDetail?: boolean;
  /** One line of it suffices. */
  readonly isShort?: boolean;
};

/** As a cell of an alert, with a text that each surface writes in its way. */
export type Cell = Omit<AlertCell, 'text'> & {
  /** Missing where there is none. */
  readonly value?: Text | undefined;
};

export type Mark = { readonly text: string; readonly tone: Tone };

/** What a person who is logged in can do on the page. */
export type Action = {
  readonly name: 'run' | 'mute' | 'unmute' | 'acknowledge' | 'resend';
  readonly label: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
};

/** One thing: a row in a terminal, a card on the page. */
export type Item = {
  readonly name: string;
  readonly state?: Mark | undefined;
  /** Further marks, on the page. */
  readonly marks?: readonly Mark[];
  /** Beside the name, on the page. */
  readonly about?: string | undefined;
  readonly link?: string;
  /** Time zone of its times. */
  readonly zone?: string;
  readonly cells?: readonly Cell[];
  readonly notes?: readonly Note[];
  readonly advice?: string | undefined;
  /** Stands out on the page. */
  readonly isBad?: boolean;
  /** The job whose days the page draws. */
  readonly strip?: string;
  readonly actions?: readonly Action[];
  /** What it sums up, each with its actions. */
  readonly parts?: readonly { readonly name: string; readonly actions: readonly Action[] }[];
};

/** A part of the status; the page joins blocks with one title. */
export type Block = {
  readonly title: string;
  /** Where it is shown; everywhere by default. */
  readonly on?: 'terminal' | 'page';
  /** What each item is, above them in a terminal. */
  readonly noun?: string;
  readonly notes?: readonly Note[];
  readonly items?: readonly Item[];
  /** Items as rows on the page, too. */
  readonly isTable?: boolean;
  /** How many items are shown, and the command that shows all. */
  readonly most?: number;
  readonly all?: string;
  readonly advice?: string;
};
