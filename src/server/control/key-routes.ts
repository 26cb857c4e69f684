import { z } from 'zod';
import type { KeyCommands } from '../keys-port.ts';
import type { Asked } from './asked.ts';

type Route = (asked: Asked) => Promise<unknown>;
type Parse = <T>(shape: z.ZodType<T>, given: unknown) => T;

/** No name, moment or fingerprint is longer. */
const text = z.string().min(1).max(1000);
/** A plan of thousands of keys. */
const planText = z.string().min(1).max(2_000_000);

const account = z.exactOptional(text);
const byHand = { who: text, account };

const listQuery = z.strictObject({ account, key: z.exactOptional(text), days: z.int().min(1).max(10_000) });
const planRequest = z.strictObject({ job: z.exactOptional(text) });
const checkRequest = z.strictObject({ file: planText });
const applyRequest = z.strictObject({ file: planText, who: text });
const rotateRequest = z.strictObject({
  ...byHand,
  key: text,
  job: z.exactOptional(text),
  now: z.boolean(),
  quota: z.exactOptional(text),
});
const expireRequest = z.strictObject({
  ...byHand,
  key: text,
  at: z.exactOptional(text),
  evenIfCurrent: z.exactOptional(z.boolean()),
});
const createRequest = z.strictObject({
  ...byHand,
  service: text,
  job: text,
  quota: text,
  expires: z.exactOptional(text),
  group: z.exactOptional(text),
});
const adoptRequest = z.strictObject({
  ...byHand,
  key: text,
  service: text,
  generation: z.int().min(1),
  move: z.exactOptional(z.boolean()),
});
const confirmRequest = z.strictObject({ ...byHand, service: text, fingerprint: text });
const serviceRequest = z.strictObject({ ...byHand, service: text });
const reconcileRequest = z.strictObject({
  ...byHand,
  service: z.exactOptional(text),
  apply: z.boolean(),
});
const historyQuery = z.strictObject({ account, service: z.exactOptional(text) });

/** The commands on keys by method and path. */
export const keyRoutes = (keys: KeyCommands, take: Parse): readonly (readonly [string, Route])[] => [
  ['POST /keys/list', ({ body, answer }) => keys.list(take(listQuery, body), answer.progress, answer.signal)],
  ['POST /keys/plan', ({ body, answer }) => keys.plan(take(planRequest, body), answer.signal)],
  ['POST /keys/check-plan', ({ body, answer }) => keys.checkPlan(take(checkRequest, body), answer.signal)],
  [
    'POST /keys/apply',
    ({ body, answer }) => keys.apply(take(applyRequest, body), answer.progress, answer.signal),
  ],
  [
    'POST /keys/rotate',
    ({ body, answer }) => keys.rotate(take(rotateRequest, body), answer.progress, answer.signal),
  ],
  ['POST /keys/expire', ({ body, answer }) => keys.expire(take(expireRequest, body), answer.signal)],
  [
    'POST /keys/create',
    ({ body, answer }) => keys.create(take(createRequest, body), answer.progress, answer.signal),
  ],
  ['POST /keys/adopt', ({ body, answer }) => keys.adopt(take(adoptRequest, body), answer.signal)],
  ['POST /keys/confirm', ({ body }) => keys.confirm(take(confirmRequest, body))],
  [
    'POST /keys/resume',
    ({ body, answer }) => keys.resume(take(serviceRequest, body), answer.progress, answer.signal),
  ],
  ['POST /keys/reconcile', ({ body, answer }) => keys.reconcile(take(reconcileRequest, body), answer.signal)],
  ['POST /keys/give-up', ({ body }) => keys.giveUp(take(serviceRequest, body))],
  ['POST /keys/history', ({ body }) => keys.history(take(historyQuery, body))],
];
