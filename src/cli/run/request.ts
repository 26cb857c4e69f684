import { fault, type Fault } from '../../core/index.ts';

/** Which slots of a job: one of its own or now, or all of a span. */
export type WhichSlots = { readonly slot?: string | undefined; readonly from?: string; readonly to?: string };

type Order =
  | { readonly job: string; readonly slot?: string | undefined }
  | { readonly job: string; readonly from: string; readonly to: string };

const misuse = (message: string): Fault =>
  fault('wrong-use', message, {
    advice:
      'use neither for a run now, --slot for one slot, or --from and --to for all slots of a time range',
  });

/** @throws Fault `wrong-use` for options that do not go together */
export const requestOf = (job: string, { slot, from, to }: WhichSlots): Order => {
  if (slot !== undefined && (from !== undefined || to !== undefined))
    throw misuse('--slot cannot be combined with --from and --to');
  if (slot !== undefined) return { job, slot };
  if (from === undefined && to === undefined) return { job };
  if (from === undefined) throw misuse('--to requires --from');
  if (to === undefined) throw misuse('--from requires --to');
  return { job, from, to };
};
