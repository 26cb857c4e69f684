import { z } from 'zod';

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

export const judged = (end: number): { readonly status: JudgedStatus } => ({
  status: { kind: 'judged', state: 'ok', end },
});
