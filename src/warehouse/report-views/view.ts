import type { Interval, UnixSeconds } from '../../core/index.ts';
import type { CubeRequest } from '../cube/cube-request.ts';
import type { NamesLeft, Served } from '../cube/aggregates.ts';
import type { CellsIn, Relation, Row, RowsIn } from '../../storage/index.ts';
import type { AccountTable } from '../schema.ts';
import type { ReportRelation } from './relation.ts';

/** The data from which a view is filled. */
export type ViewInput = {
  readonly request: CubeRequest;
  /** How amounts were served; `$value` is bound if it is used. */
  readonly served: Served;
  /** The moment of the run, milliseconds UTC. */
  readonly now: number;
  /**
   * The days of all periods, `slot`, `day`, `start_at` and `end_at` (seconds), `is_current` and `is_compared`, for FROM, with
   * their bindings.
   */
  readonly days: Relation & {
    /** SQL for the slot of the day of `created_at`. */
    readonly slotOf: string;
    /** SQL for whether `created_at` is on one of the days: other times have no slot. */
    readonly hasSlot: string;
    /** The bounds of the ranges without gaps that contain the days. */
    readonly bounds: readonly UnixSeconds[];
  };
  /** The keys in lineages, `name` and `service`, for FROM; a missing name is its own service. */
  readonly services: Relation;
  /** From the first to the last second of all periods. */
  readonly range: Interval<UnixSeconds>;
  /**
   * The calls and cells of the names that the report is restricted to. Others may be missing, and cells of days that belong to
   * no period.
   */
  readonly rows: RowsIn;
  readonly cellsIn: CellsIn;
  /** The cells of all names of the account. */
  readonly cellsOfAll: CellsIn;
  /** The number of rows of a range. */
  readonly rowsIn: (range: Interval<UnixSeconds>) => Promise<number>;
  /** Names of models in the calls of the periods. */
  readonly models: () => Promise<readonly string[]>;
  /** The names that the report is restricted to. */
  readonly left: NamesLeft;
};

export type ViewRow = readonly (string | number | boolean | null)[];

/** A table that is copied for a report when its SQL names it: read-only, and limited to one account. */
export type ReportView = ReportRelation & {
  /** The tables of the account that its SQL names, besides those of the cells. */
  readonly reads?: readonly AccountTable[];
  /** No part of it belongs to a key or team: it is empty in a restricted report. */
  readonly ofWholeAccount?: boolean;
  /** It contains only amounts: it is empty while the form of the account's amounts is not proven. */
  readonly ofAmounts?: boolean;
  /** The column with key names: a restricted report omits rows of other keys, and `team` is filled in. */
  readonly keyColumn?: string;
} & (
    | {
        readonly sql: (input: ViewInput) => Promise<Relation>;
        /** Converts a row of the SQL to rows of the view; without it, the SQL returns the rows of the view. */
        readonly rowsFrom?: (row: Row) => readonly ViewRow[];
      }
    | { readonly rows: (input: ViewInput) => Promise<readonly ViewRow[]> }
  );
