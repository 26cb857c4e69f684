import type { Answer } from '../answer-shape.ts';
import type { Column } from '../admin/csv.ts';
import type { Request } from '../request.ts';

/** What a variant changes after a handler has made it; `datum` is that of the value in force. */
type Hooks<Datum> = {
  logColumns?(columns: readonly Column[], datum: Datum): readonly Column[];
  /** `now`: seconds on the gateway's clock. */
  answer?(answer: Answer, datum: Datum, context: { readonly request: Request; readonly now: number }): Answer;
};

/** A variant: its values, the first of which is the default, and for each the datum that handlers use. */
export type Point<Name extends string = string, Datum = unknown> = Hooks<Datum> & {
  /** The statement of docs/gateway.md that leaves the point open. */
  readonly statement: `G${number}.${number}`;
  readonly meaning: string;
  readonly values: readonly [Name, ...Name[]];
  readonly default: Name;
  readonly data: Readonly<Record<Name, Datum>>;
};

type Values = readonly [string, ...string[]] | Readonly<Record<string, unknown>>;
type NameOf<Given> = Given extends readonly string[] ? Given[number] : `${keyof Given & (string | number)}`;
type DatumOf<Given> = Given extends readonly string[] ? Given[number] : Given[keyof Given];

/** Values as a list are their own data. Objects move keys that are integers to the front, in ascending order. */
export const point =
  <const Given extends Values>(
    statement: Point['statement'],
    given: Given,
    hooks: Hooks<DatumOf<Given>> = {},
  ) =>
  (meaning: string): Point<NameOf<Given>, DatumOf<Given>> => {
    const names: readonly string[] = Array.isArray(given) ? given : Object.keys(given);
    const data = Array.isArray(given) ? Object.fromEntries(names.map((name) => [name, name])) : given;
    const values = names as readonly [NameOf<Given>];
    return {
      statement,
      meaning,
      values,
      default: values[0],
      data: data as Record<NameOf<Given>, DatumOf<Given>>,
      ...hooks,
    };
  };
