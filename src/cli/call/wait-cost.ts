import {
  countText,
  fault,
  isFault,
  type Deps,
  type Money,
  type Progress,
  type UnixMillis,
} from '../../core/index.ts';
import type { ModelAccess } from '../../app/index.ts';

/** The cost of a call as booked. */
export type BookedCost = {
  readonly amount: Money | undefined;
  readonly currency: string;
  readonly model: string;
  readonly keyName: string;
  /** Number of matching rows; more than one if others called at the same time. */
  readonly candidates: number;
};

/** The known properties of a call; unknown ones are not compared. */
export type CallTraits = {
  readonly sentAt: UnixMillis;
  readonly model: string | undefined;
  readonly promptTokens: readonly number[];
  readonly completionTokens: number | undefined;
};

type Row = Awaited<ReturnType<Awaited<ReturnType<ModelAccess['openLog']>>['read']>>[number];

const namesModel = (row: Row, model: string | undefined): boolean =>
  model === undefined || row.model === model || row.model.startsWith(model) || model.endsWith(row.model);

/** A call without tokens, such as a task, is booked without tokens. */
const hasTokens = (row: Row, { promptTokens, completionTokens }: CallTraits): boolean =>
  promptTokens.length === 0
    ? (row.promptTokens ?? 0) === 0
    : (row.promptTokens === undefined || promptTokens.includes(row.promptTokens)) &&
      (completionTokens === undefined ||
        row.completionTokens === undefined ||
        row.completionTokens === completionTokens);

/** Rows that match all known traits; the vendor's model name may be longer than the requested one. */
export const matching = (rows: readonly Row[], traits: CallTraits): readonly Row[] =>
  rows.filter((row) => row.kind === 'consumption' && namesModel(row, traits.model) && hasTokens(row, traits));

/** Milliseconds between two reads of the log: most rows appear within seconds. */
const pauses = [2000, 5000, 10_000, 15_000];

/** Reads the log until it shows the call. @throws Fault `call-not-booked` at the deadline */
export const waitForCost = async (
  { clock, signal }: Pick<Deps, 'clock' | 'signal'>,
  access: ModelAccess,
  traits: CallTraits,
  { deadline, progress }: { readonly deadline: number; readonly progress: Progress },
): Promise<BookedCost> => {
  const end = clock.now() + deadline;
  await using log = await access.openLog(traits.sentAt);
  for (let attempt = 0; ; attempt += 1) {
    progress({ step: 'waiting for the call in the log' });
    let found: readonly Row[] = [];
    try {
      found = matching(await log.read(), traits);
    } catch (error) {
      // The row is not exported yet, or the export fails temporarily.
      if (!isFault(error) || !error.retryHelps) throw error;
    }
    const [first] = found;
    if (first !== undefined) {
      const amounts = new Set(found.map(({ amount }) => amount));
      return {
        amount: amounts.size === 1 ? first.amount : undefined,
        currency: access.currency,
        model: first.model,
        keyName: first.keyName,
        candidates: found.length,
      };
    }
    const left = end - clock.now();
    if (left <= 0)
      throw fault(
        'call-not-booked',
        `the call log does not show the call after ${Math.round(deadline / 1000)} s`,
      );
    await clock.wait(Math.min(pauses[attempt] ?? 15_000, left), signal);
  }
};

/** `USD 0.00012` */
export const costText = ({ amount, currency, model, keyName, candidates }: BookedCost): string => {
  const of = `${model}${keyName === '' ? '' : `, key ${keyName}`}`;
  if (amount === undefined)
    return `cost: unknown; ${countText(candidates, 'call')} in the log can be this one and their costs differ (${of})`;
  const shared = candidates === 1 ? '' : `; ${candidates} calls of this cost can be this one`;
  return `cost: ${currency} ${amount} (${of}${shared})`;
};
