import {
  errorFields,
  fault,
  formatMoment,
  hasCode,
  isFault,
  messageOf,
  toSeconds,
  unixMillis,
} from '../base/index.ts';
import type { Clock, Fault, Log, UnixMillis } from '../base/index.ts';
import { loadMail } from './mail-file.ts';
import type { OutboxRow, OutboxTable } from '../warehouse/index.ts';
import type { MailSession, MailTransport, SendOutcome } from './transport.ts';

/** How many mails ended which way in this pass. */
export type DeliverySummary = {
  readonly sent: number;
  /** To be tried again. */
  readonly deferred: number;
  /** Never to be tried again. */
  readonly failed: number;
  /** May or may not have arrived; not tried again. */
  readonly unknown: number;
  /** What went wrong first, and what to do. */
  readonly trouble?: string;
};

export type DeliveryMeans = {
  readonly outbox: OutboxTable;
  readonly folder: string;
  readonly transport: MailTransport;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
};

const minute = 60_000;
const hour = 60 * minute;

/** As long as RFC 5321 4.5.4.1 has senders try: mail servers that are down for days lose nothing. */
const giveUpAfter = 5 * 24 * hour;

/** One minute after the first attempt, doubling to an hour. */
export const nextAttemptAfter = (attempts: number, now: UnixMillis): UnixMillis =>
  unixMillis(now + Math.min(hour, minute * 2 ** Math.min(Math.max(attempts, 1) - 1, 10)));

type Failure = Exclude<SendOutcome, { state: 'sent' }>;

const settleFailure = async (row: OutboxRow, outcome: Failure, means: DeliveryMeans): Promise<Failure> => {
  const at = means.clock.now();
  const expired = outcome.state === 'deferred' && at - row.queuedAt >= giveUpAfter;
  const words = expired
    ? `given up after 5 days; the last attempt: ${outcome.fault.message}`
    : outcome.fault.message;
  const state = expired ? 'failed' : outcome.state;
  // An attempt that we stopped ourselves says nothing of the server.
  const next = hasCode(outcome.fault, 'aborted') ? at : nextAttemptAfter(row.attempts, at);
  await means.outbox.settle(row.id, {
    state,
    at,
    error: words,
    ...(state === 'deferred' ? { nextAttempt: next } : {}),
  });
  const told = { deferred: 'mail put off', failed: 'mail failed', unknown: 'mail of unknown outcome' }[state];
  const again = state === 'deferred' ? { nextAttempt: formatMoment(toSeconds(next), 'UTC') } : {};
  means.log[state === 'deferred' ? 'warn' : 'error'](told, {
    recipient: row.recipient,
    kind: row.kind,
    subject: row.subject,
    messageId: row.messageId,
    ...errorFields(outcome.fault),
    ...again,
  });
  return { state, fault: outcome.fault };
};

const asFault = (error: unknown): Fault =>
  isFault(error) ? error : fault('mail-unreachable', messageOf(error), { cause: error });

/** One pass over one connection; it is opened anew after whatever went wrong. */
const createLine = (transport: MailTransport, signal?: AbortSignal) => {
  let session: MailSession | undefined;
  let broken: Fault | undefined;
  const close = (): void => {
    session?.close();
    session = undefined;
  };
  return {
    close,
    send: async (row: OutboxRow, bytes: Buffer): Promise<SendOutcome> => {
      // A server that could not be reached is not tried again for every mail of the pass.
      if (broken !== undefined) return { state: 'deferred', fault: broken };
      try {
        session ??= await transport.open(signal);
      } catch (error) {
        broken = asFault(error);
        return { state: 'deferred', fault: broken };
      }
      const outcome = await session.send({ from: row.sender, to: row.recipient }, bytes, signal);
      if (outcome.state !== 'sent') close();
      return outcome;
    },
  };
};

const attempt = async (
  row: OutboxRow,
  line: ReturnType<typeof createLine>,
  means: DeliveryMeans,
): Promise<SendOutcome> => {
  try {
    return await line.send(row, await loadMail(means.folder, row.file));
  } catch (error) {
    return { state: 'failed', fault: asFault(error) };
  }
};

/**
 * The outbox worker: tries each row that is due once, with the exact bytes that were stored, and writes down how it
 * ended. A row of unknown outcome is never tried again here. Two passes at once do not send a row twice.
 */
export const deliverDue = async (means: DeliveryMeans): Promise<DeliverySummary> => {
  const { outbox, clock, log, signal } = means;
  const counts = { sent: 0, deferred: 0, failed: 0, unknown: 0 };
  let trouble: Fault | undefined;
  const waiting = (await outbox.due(clock.now())).filter(
    ({ state }) => state === 'queued' || state === 'deferred',
  );
  const line = createLine(means.transport, signal);
  try {
    for (const { id } of waiting) {
      if (signal?.aborted === true) break;
      const row = await outbox.claim(id, clock.now());
      if (row === undefined) continue;
      const outcome = await attempt(row, line, means);
      if (outcome.state === 'sent') {
        await outbox.settle(id, { state: 'sent', at: clock.now() });
        log.info('mail sent', {
          recipient: row.recipient,
          messageId: row.messageId,
          response: outcome.response,
        });
        counts.sent += 1;
        continue;
      }
      const settled = await settleFailure(row, outcome, means);
      counts[settled.state] += 1;
      trouble ??= settled.fault;
    }
  } finally {
    line.close();
  }
  return trouble === undefined ? counts : { ...counts, trouble: `${trouble.message}; ${trouble.advice}` };
};

/**
 * To be called once when the process starts, before anything is sent: rows left in `sending` by a process that died
 * become `unknown`, since their mail may have gone out. Gives how many there were.
 */
export const recoverInterrupted = async (
  means: Pick<DeliveryMeans, 'outbox' | 'clock' | 'log'>,
): Promise<number> => {
  const { outbox, clock, log } = means;
  const left = (await outbox.list()).filter(({ state }) => state === 'sending');
  if (left.length === 0) return 0;
  const at = clock.now();
  await outbox.release(at);
  for (const row of left) {
    const error = 'the process ended while the mail was being sent: it may or may not have arrived';
    await outbox.settle(row.id, { state: 'unknown', at, error });
    log.error('mail of unknown outcome', { recipient: row.recipient, messageId: row.messageId, error });
  }
  return left.length;
};
