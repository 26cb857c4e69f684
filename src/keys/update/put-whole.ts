import {
  compareMoney,
  fault,
  hasCode,
  isFault,
  messageOf,
  toSeconds,
  zero,
  type Clock,
  type Money,
} from '../../core/index.ts';
import type { ApiKey, Gateway } from '../../gateway/index.ts';
import { compareKeys, type KeyChange, type KeyComparison } from './compare-keys.ts';
import { remainToPutBack } from './judge-remain.ts';
import type { LearnedPoint } from '../../warehouse/index.ts';
import { distrusted, nothingKnown, type UpdateField, type UpdateKnowledge } from './knowledge.ts';
import { updateBody, type UpdateBody } from './update-body.ts';

export type UpdateExpectations = {
  readonly knowledge: UpdateKnowledge;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How to treat a quota that the gateway cannot hold or show exactly; `refuse` by default. */
  readonly inexact?: 'refuse' | 'down';
  /** Leaves a key unchanged that has at most the requested quota, so that a repeated update gives nothing back. */
  readonly neverRaise?: boolean;
  /** Receives the observations that a harmful update refuted; storing them prevents the same harm. */
  readonly distrust?: (points: readonly LearnedPoint[]) => Promise<unknown>;
};

export type UpdatedKey = {
  readonly before: ApiKey;
  readonly after: ApiKey;
  /** False if the key already had the requested values and nothing was sent. */
  readonly sent: boolean;
  /** What a limited key spent between the write and the next read; between both reads if its quota was not written. */
  readonly spent: Money;
  /** What was done and observed, as a sentence with exact figures. */
  readonly measured: string;
};

export type UpdatingGateway = Pick<Gateway, 'readKey' | 'patchKey'>;

/** Milliseconds before each further read while the key does not show the written value. */
const rereads = [500, 1500, 4000] as const;

/** Errors that prove that the gateway did not apply the request. */
const notTaken = (error: unknown): boolean =>
  isFault(error) &&
  (hasCode(error, 'gateway-unreachable') ||
    hasCode(error, 'gateway-certificate') ||
    hasCode(error, 'gateway-redirect') ||
    hasCode(error, 'gateway-key-refused') ||
    hasCode(error, 'gateway-scope-missing') ||
    hasCode(error, 'gateway-not-found') ||
    hasCode(error, 'gateway-http-error') ||
    hasCode(error, 'gateway-rate-limited') ||
    hasCode(error, 'key-spec-invalid'));

const asWanted = (key: ApiKey, change: KeyChange, neverRaise: boolean): boolean => {
  const { remainQuota, ...others } = change;
  const enough =
    remainQuota === undefined ||
    (neverRaise
      ? compareMoney(key.remainQuota, remainQuota) <= 0
      : compareMoney(key.remainQuota, remainQuota) === 0);
  const fields = ['name', 'unlimitedQuota', 'expiredTime', 'group'] as const;
  return enough && fields.every((field) => others[field] === undefined || others[field] === key[field]);
};

type Reading = { readonly after: ApiKey; readonly found: KeyComparison };

type Sent = {
  readonly before: ApiKey;
  readonly change: KeyChange;
  readonly body: UpdateBody;
  readonly readAt: number;
};

/** Reads the key until it shows the written values or all reads are used up; does not wait for harm to disappear. */
const readBack = async (
  gateway: UpdatingGateway,
  { before, change, body, readAt }: Sent,
  { clock, signal }: UpdateExpectations,
  pauses: readonly number[] = rereads,
): Promise<Reading> => {
  for (let reading = 0; ; reading += 1) {
    const after = await gateway.readKey(before.id, { signal });
    const now = clock.now();
    const remain = { ...body.remain, millis: now - readAt };
    const found = compareKeys(before, after, change, remain, toSeconds(now));
    const pause = pauses[reading];
    if (found.missing.length === 0 || pause === undefined) return { after, found };
    await clock.wait(pause, signal);
  }
};

const quotaHarmed = ({ found }: Reading): boolean =>
  found.harmed.some(({ field }) => field === 'remain_quota');

/** The values to restore: as they were, except for the remaining quota, which never returns what was spent. */
const oldValues = ({ before, change, body }: Sent, reading: Reading): ApiKey => {
  const { after } = reading;
  if (before.unlimitedQuota || after.unlimitedQuota) return before;
  const wanted = change.remainQuota !== undefined;
  const { shown } = body.remain;
  const seen = { before: before.remainQuota, after: after.remainQuota, wanted, shown };
  return { ...before, remainQuota: remainToPutBack(seen, quotaHarmed(reading)) };
};

/** A count of units that reads as that amount of the currency proves that the unit is the currency. */
const unitSeen = (knowledge: UpdateKnowledge, { body }: Sent, reading: Reading): UpdateKnowledge => {
  const { after } = reading;
  const { remainQuota: number } = body.patch;
  const isProven =
    quotaHarmed(reading) &&
    knowledge.unit?.kind === 'units' &&
    number !== undefined &&
    !after.unlimitedQuota &&
    compareMoney(after.remainQuota, body.remain.shown) > 0 &&
    compareMoney(after.remainQuota, number) <= 0;
  return isProven ? { ...knowledge, unit: { kind: 'currency' } } : knowledge;
};

const putBack = async (
  gateway: UpdatingGateway,
  sent: Sent,
  reading: Reading,
  expectations: UpdateExpectations,
): Promise<string> => {
  const old = oldValues(sent, reading);
  const knowledge = { ...unitSeen(expectations.knowledge, sent, reading), kept: nothingKnown.kept };
  try {
    const body = updateBody(old, {}, knowledge, 'down');
    const again = { before: old, change: {}, body, readAt: expectations.clock.now() };
    await gateway.patchKey(body.patch, { signal: expectations.signal });
    const { found: left } = await readBack(gateway, again, { ...expectations, knowledge });
    if (left.harmed.length === 0) return 'all previous values were restored';
    return `the previous values were written back, but these still differ: ${left.harmed.map(({ message }) => message).join(', ')}`;
  } catch (error) {
    expectations.signal.throwIfAborted();
    return `the previous values could not be restored: ${messageOf(error)}`;
  }
};

const namesSent = {
  name: 'name',
  remainQuota: 'remain_quota',
  unlimitedQuota: 'unlimited_quota',
  expiredTime: 'expired_time',
  group: 'group',
} as const;

/** Every field is written back, so an unreadable value would be replaced. */
const checkReadable = ({ id, name, unreadable = {} }: ApiKey, change: KeyChange): void => {
  for (const [field, sent] of Object.entries(namesSent)) {
    const value = unreadable[sent];
    if (value !== undefined && change[field as keyof typeof namesSent] === undefined)
      throw fault(
        'gateway-answer-unreadable',
        `the key ${name} (id ${id}) was not changed: the gateway reports an impossible ${sent} (${value})`,
        { advice: 'correct the field at the gateway, then try again' },
      );
  }
};

const sentFields = ({ patch }: UpdateBody): readonly UpdateField[] =>
  (Object.keys(namesSent) as (keyof typeof namesSent)[])
    .filter((field) => patch[field] !== undefined)
    .map((field) => namesSent[field]);

const describeMeasured = (
  before: ApiKey,
  { after, found }: Reading,
  body: UpdateBody,
  millis: number,
): string => {
  const way = body.part
    ? 'sent alone, the other fields kept their values'
    : 'sent with the whole key, all other fields are unchanged';
  if (after.unlimitedQuota) return `${way}; its quota is unlimited`;
  const moved =
    compareMoney(found.refunded, zero) > 0
      ? `${found.refunded} refunded meanwhile`
      : `${found.spent} spent meanwhile`;
  const left = `remain_quota ${before.remainQuota} before, ${after.remainQuota} after, ${moved}`;
  const over = body.overwritesSpend
    ? `; spend within the ${millis} ms before the write may have been overwritten`
    : '';
  return `${way}; ${left}${over}`;
};

/**
 * Changes fields of a key and proves that nothing else changed: reads the key, writes it whole (or only the requested fields if the gateway provably
 * keeps the others), reads it again and compares every field. If the answer to the write is lost, the read decides. Spend and refunds between the
 * reads are measured and reported, never corrected.
 * @throws Fault key-update-harmed: another field changed, and restoring the old values was attempted; key-update-ineffective: nothing changed;
 * key-update-unsettled: the update was sent and the key cannot be read; key-unit-unknown, key-quota-inexact: nothing was sent; the errors of the
 * gateway client when nothing was done
 */
export const putWhole = async (
  gateway: UpdatingGateway,
  id: number,
  change: KeyChange,
  expectations: UpdateExpectations,
): Promise<UpdatedKey> => {
  const { clock, signal, knowledge, inexact = 'refuse', neverRaise = false } = expectations;
  const before = await gateway.readKey(id, { signal });
  const readAt = clock.now();
  checkReadable(before, change);
  if (asWanted(before, change, neverRaise))
    return {
      before,
      after: before,
      sent: false,
      spent: zero,
      measured: 'it already had this value, nothing was sent',
    };
  const body = updateBody(before, change, knowledge, inexact);
  const sent: Sent = { before, change, body, readAt };
  let lost: unknown;
  try {
    await gateway.patchKey(body.patch, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (notTaken(error)) throw error;
    lost = error;
  }
  const millis = clock.now() - readAt;
  let reading: Reading;
  try {
    // A refused update cannot take effect later.
    const pauses = hasCode(lost, 'gateway-refused') ? [] : rereads;
    reading = await readBack(gateway, sent, expectations, pauses);
  } catch (error) {
    signal.throwIfAborted();
    const message = `the key ${id} was written and cannot be read back: ${messageOf(error)}`;
    throw fault('key-update-unsettled', message, { cause: error });
  }
  const { found, after } = reading;
  if (found.harmed.length > 0) {
    const names = found.harmed.map(({ message }) => message).join(', ');
    const back = await putBack(gateway, sent, reading, expectations);
    const fields = found.harmed.map(({ field }) => field);
    const points = distrusted(knowledge, { keyId: id, fields, sent: sentFields(body) });
    if (points.length > 0) await expectations.distrust?.(points);
    throw fault('key-update-harmed', `the update of key ${id} changed other fields: ${names}; ${back}`);
  }
  if (found.missing.length > 0) {
    const names = found.missing.join(', ');
    if (lost === undefined)
      throw fault('key-update-ineffective', `the update of key ${id} had no effect: ${names} is unchanged`);
    if (!isFault(lost)) throw lost;
    // The read proves that nothing changed, so a retry is safe.
    const message = `${lost.message}; the key shows that nothing was changed`;
    const again = lost.code === 'gateway-refused' ? {} : { retryHelps: true, advice: 'retry the operation' };
    throw fault(lost.code, message, { cause: lost, ...again });
  }
  const settled = lost === undefined ? '' : ' (the answer was lost; a read shows that it was applied)';
  const measured = `${describeMeasured(before, reading, body, millis)}${settled}`;
  return { before, after, sent: true, spent: found.spent, measured };
};
