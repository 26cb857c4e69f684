import { z } from 'zod';
import { goneOf, type Before, type Decision } from './rule.ts';

/** Up to which hour a rule has judged the hours of the log: within one hour nothing of them changes. `end` is its end, seconds UTC. */
export const judgedStatus = z.object({ kind: z.literal('judged'), state: z.literal('ok'), end: z.int() });

export type JudgedStatus = z.output<typeof judgedStatus>;

/** The end of the last hour that was judged; 0 before the first one. The status is that of the prefix of the rule's alerts. */
export const judgedUntil = (
  before: ReadonlyMap<string, { readonly status: { readonly kind: string } }>,
  prefix: string,
): number => {
  const read = judgedStatus.safeParse(before.get(prefix)?.status);
  return read.success ? read.data.end : 0;
};

/** What a rule found in the hours up to `end`. Without it the rule is off: its alerts end, and it has judged nothing. */
export type FoundInHours<Status> = {
  readonly statuses: ReadonlyMap<string, { readonly status: Status }>;
  readonly end: number | undefined;
};

/** What is found fires, what is not found any more ends. Undefined where no hour was judged: then nothing changes. */
export const decideHours = <Status>(
  prefix: string,
  found: FoundInHours<Status> | undefined,
  before: Before<Status | JudgedStatus>,
  firing: readonly string[],
): Decision<Status | JudgedStatus> => {
  if (found === undefined) return { conditions: [], stored: new Map() };
  const { statuses, end } = found;
  const gone = goneOf(statuses, before, firing).filter((alert) => alert !== prefix);
  const level = 'unusual';
  return {
    conditions: [
      ...[...statuses.keys()].map((alert) => ({ alert, level, state: 'firing' }) as const),
      ...gone.map((alert) => ({ alert, level, state: 'clear' }) as const),
    ],
    stored: new Map<string, { readonly status: Status | JudgedStatus } | undefined>([
      ...statuses,
      ...gone.map((alert) => [alert, undefined] as const),
      [prefix, end === undefined ? undefined : { status: { kind: 'judged', state: 'ok', end } }],
    ]),
  };
};
