import { formatMoment, toSeconds, type Clock } from '../../core/index.ts';
import type { CommandHandlers } from '../../control/index.ts';
import type { OutboxView } from '../../web/index.ts';
import { neverAgain, type OutboxRow } from '../../storage/index.ts';
import type { App } from '../compose.ts';
import type { RuntimeLease } from '../runtime/runtime.ts';

export type OutboxAnswer = {
  readonly id: string;
  readonly done: boolean;
  readonly message: string;
};

type Deps = { readonly clock: Clock; readonly app: App };

/** Rows that `status` lists; it only counts the others. */
const maxTold = 5;

const viewOf = (
  { sender: _sender, triedFrom: _from, file: _file, topics: _topics, nextAttempt, ...row }: OutboxRow,
  zone: string,
): OutboxView => ({
  ...row,
  zone,
  ...(nextAttempt === neverAgain ? {} : { next: nextAttempt }),
});

const because = ({ lastError }: OutboxRow): string => (lastError === undefined ? '' : `: ${lastError}`);

const describeSent = (row: OutboxRow, zone: string): Pick<OutboxAnswer, 'done' | 'message'> => {
  const { state, recipient, nextAttempt } = row;
  if (state === 'sent') return { done: true, message: `sent to ${recipient}` };
  if (state === 'queued' || state === 'sending') return { done: true, message: `being sent to ${recipient}` };
  if (nextAttempt === neverAgain) return { done: false, message: `${state}${because(row)}` };
  const next = formatMoment(toSeconds(nextAttempt), zone);
  return { done: true, message: `${state}, next attempt ${next}${because(row)}` };
};

export const createOutboxHandlers = ({ clock, app }: Deps) => {
  const { outbox } = app.warehouse;
  const zone = (): string => app.config().settings.timezone;
  const rowOf = async (id: string): Promise<OutboxRow | undefined> => (await outbox.list({ ids: [id] }))[0];
  const none: Pick<OutboxAnswer, 'done' | 'message'> = { done: false, message: 'no such row' };

  const requeue = async (
    runtime: RuntimeLease,
    id: string,
  ): Promise<Pick<OutboxAnswer, 'done' | 'message'> | undefined> => {
    const row = await rowOf(id);
    if (row === undefined) return none;
    if (!(await runtime.holdsMail(row.file)))
      return {
        done: false,
        message: 'its stored message is missing or damaged; run its job again to create it again',
      };
    return (await outbox.resend(id, clock.now())) === undefined
      ? { done: false, message: 'it is being sent now' }
      : undefined;
  };

  const resend = async (ids: readonly string[], signal: AbortSignal): Promise<readonly OutboxAnswer[]> => {
    using runtime = app.lease();
    const refused = new Map<string, Pick<OutboxAnswer, 'done' | 'message'>>();
    for (const id of ids) {
      const refusal = await requeue(runtime, id);
      if (refusal !== undefined) refused.set(id, refusal);
    }
    await runtime.delivery.deliver({ ids: ids.filter((id) => !refused.has(id)), signal });
    const rows = new Map((await outbox.list({ ids })).map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = rows.get(id);
      return { id, ...(refused.get(id) ?? (row === undefined ? none : describeSent(row, zone()))) };
    });
  };

  return {
    'outbox/list': async (query): Promise<readonly OutboxView[]> =>
      (await outbox.list(query)).map((row) => viewOf(row, zone())).toReversed(),
    'outbox/resend': ({ ids }, { signal }) => resend(ids, signal),
    'outbox/release': async ({ ids }, { signal }): Promise<readonly OutboxAnswer[]> => {
      const held = (await outbox.list({ states: ['held'] })).map(({ id }) => id);
      const wanted = new Set(ids ?? held);
      const other = [...wanted].filter((id) => !held.includes(id));
      return [
        ...(await resend(
          held.filter((id) => wanted.has(id)),
          signal,
        )),
        ...other.map((id) => ({ id, done: false, message: 'it is not held' })),
      ];
    },
    'outbox/drop': async ({ ids }): Promise<readonly OutboxAnswer[]> => {
      const answers: OutboxAnswer[] = [];
      for (const id of ids) {
        const dropped = await outbox.drop(id, clock.now());
        const row = dropped ?? (await rowOf(id));
        if (dropped !== undefined)
          answers.push({ id, done: true, message: `dropped; it will not be sent to ${dropped.recipient}` });
        else if (row === undefined) answers.push({ id, ...none });
        else if (row.state === 'dropped') answers.push({ id, done: true, message: 'it is already dropped' });
        else if (row.state === 'sent')
          answers.push({ id, done: false, message: `it is already sent to ${row.recipient}` });
        else answers.push({ id, done: false, message: 'it is being sent now' });
      }
      return answers;
    },
  } satisfies Partial<CommandHandlers>;
};

export const mailStatus = async ({ app }: Pick<Deps, 'app'>) => {
  const { outbox } = app.warehouse;
  const zone = app.config().settings.timezone;
  const counts = await outbox.counts();
  if (counts.failed + counts.unknown + counts.held === 0) return counts;
  const rows = await outbox.list({ states: ['failed', 'unknown', 'held'] });
  const stuck = rows.filter(({ nextAttempt }) => nextAttempt === neverAgain);
  return {
    ...counts,
    stuck: stuck
      .slice(-maxTold)
      .map((row) => viewOf(row, zone))
      .toReversed(),
  };
};
