import type { Answer } from '../answer-shape.ts';
import type { Column } from '../admin/log-column.ts';
import type { Request } from '../request.ts';

/** A variant, and its changes to whole columns or answers; other variants apply where a request is handled. */
export type Point = {
  readonly values: readonly [string, ...string[]];
  readonly default: string;
  readonly meaning: string;
  /** The statement of docs/gateway.md that leaves the point open. */
  readonly statement: `G${number}.${number}`;
  readonly logColumns?: (columns: readonly Column[], value: string) => readonly Column[];
  /** An answer before it is sent, by the value of the variant. `now`: seconds on the gateway's clock. */
  readonly answer?: (
    answer: Answer,
    value: string,
    context: { readonly request: Request; readonly now: number },
  ) => Answer;
};
