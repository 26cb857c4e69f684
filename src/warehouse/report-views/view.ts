import type { Interval, UnixSeconds } from '../../core/index.ts';
import type { CallsRelation } from '../archive/relations.ts';
import type { CubeRequest } from '../cube/cube-request.ts';
import type { NamesLeft, Served } from '../cube/aggregates.ts';
import type { Bindings, Row } from '../rows.ts';
import type { ReportRelation } from './relation.ts';

/** What a view is filled with. */
export type ViewInput = {
  readonly request: CubeRequest;
  /** How amounts were served; its `$value` is bound where it is named. */
  readonly served: Served;
  /** The moment of the run, milliseconds UTC. */
  readonly now: number;
  /** The days of all periods, `day`, `start_at` and `end_at` (seconds), for FROM; what it needs bound. */
  readonly days: { readonly sql: string; readonly bindings: Bindings };
  /** The keys that lines know, `name` and `service`, for FROM; a name that is not there is its own service. */
  readonly services: { readonly sql: string; readonly bindings: Bindings };
  /** The first to the last second of all periods. */
  readonly range: Interval<UnixSeconds>;
  readonly callsIn: (range: Interval<UnixSeconds>) => Promise<CallsRelation>;
  /** Names of models in the calls of the periods. */
  readonly models: () => Promise<readonly string[]>;
  /** The names that the report is restricted to. */
  readonly left: NamesLeft;
};

export type ViewRow = readonly (string | number | boolean | null)[];

/** A table that is copied for a report when its SQL names it: read-only, and of the one account. */
export type ReportView = ReportRelation & {
  /** Has no part that belongs to a key or team: it is empty where a report is restricted. */
  readonly ofWholeAccount?: boolean;
  /** Says something of amounts alone: it is empty while the form of the account's amounts is not proven. */
  readonly ofAmounts?: boolean;
  /** Holds names of keys: rows of others go where a report is restricted, and `team` is filled in. */
  readonly keyColumn?: string;
} & (
    | {
        readonly sql: (input: ViewInput) => Promise<{ readonly sql: string; readonly bindings: Bindings }>;
        /** What is made of a row that the SQL gives; without it the SQL gives the rows of the view. */
        readonly rowsFrom?: (row: Row) => readonly ViewRow[];
      }
    | { readonly rows: (input: ViewInput) => Promise<readonly ViewRow[]> }
  );
