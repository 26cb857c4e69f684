import { z } from 'zod';
import type { KeyCommands } from '../keys-port.ts';
import type { Asked } from './routes.ts';

type Route = (asked: Asked) => Promise<unknown>;
type Take = <T>(shape: z.ZodType<T>, given: unknown) => T;

/** No name, moment or fingerprint is longer. */
const text = z.string().min(1).max(1000);
/** A plan of thousands of keys. */
const planText = z.string().min(1).max(2_000_000);

const account = z.exactOptional(text);
const byHand = { who: text, account };

const listQuery = z.strictObject({ account, key: z.exactOptional(text), days: z.int().min(1).max(10_000) });
const planOrder = z.strictObject({ job: z.exactOptional(text) });
const checkOrder = z.strictObject({ file: planText });
const applyOrder = z.strictObject({ file: planText, who: text });
const rotateOrder = z.strictObject({
  ...byHand,
  key: text,
  job: z.exactOptional(text),
  now: z.boolean(),
  quota: z.exactOptional(text),
});
const expireOrder = z.strictObject({
  ...byHand,
  key: text,
  at: z.exactOptional(text),
  evenIfCurrent: z.exactOptional(z.boolean()),
});
const createOrder = z.strictObject({
  ...byHand,
  service: text,
  job: text,
  quota: text,
  expires: z.exactOptional(text),
  group: z.exactOptional(text),
});
const adoptOrder = z.strictObject({
  ...byHand,
  key: text,
  service: text,
  generation: z.int().min(1),
  move: z.exactOptional(z.boolean()),
});
const confirmOrder = z.strictObject({ ...byHand, service: text, fingerprint: text });
const serviceOrder = z.strictObject({ ...byHand, service: text });
const reconcileOrder = z.strictObject({
  ...byHand,
  service: z.exactOptional(text),
  apply: z.boolean(),
});
const historyQuery = z.strictObject({ account, service: z.exactOptional(text) });

/** The commands on keys by method and path. */
export const keyRoutes = (keys: KeyCommands, take: Take): readonly (readonly [string, Route])[] => [
  ['POST /keys/list', ({ body, answer }) => keys.list(take(listQuery, body), answer.progress, answer.signal)],
  ['POST /keys/plan', ({ body, answer }) => keys.plan(take(planOrder, body), answer.signal)],
  ['POST /keys/check-plan', ({ body, answer }) => keys.checkPlan(take(checkOrder, body), answer.signal)],
  [
    'POST /keys/apply',
    ({ body, answer }) => keys.apply(take(applyOrder, body), answer.progress, answer.signal),
  ],
  [
    'POST /keys/rotate',
    ({ body, answer }) => keys.rotate(take(rotateOrder, body), answer.progress, answer.signal),
  ],
  ['POST /keys/expire', ({ body, answer }) => keys.expire(take(expireOrder, body), answer.signal)],
  [
    'POST /keys/create',
    ({ body, answer }) => keys.create(take(createOrder, body), answer.progress, answer.signal),
  ],
  ['POST /keys/adopt', ({ body, answer }) => keys.adopt(take(adoptOrder, body), answer.signal)],
  ['POST /keys/confirm', ({ body }) => keys.confirm(take(confirmOrder, body))],
  [
    'POST /keys/resume',
    ({ body, answer }) => keys.resume(take(serviceOrder, body), answer.progress, answer.signal),
  ],
  ['POST /keys/reconcile', ({ body, answer }) => keys.reconcile(take(reconcileOrder, body), answer.signal)],
  ['POST /keys/give-up', ({ body }) => keys.giveUp(take(serviceOrder, body))],
  ['POST /keys/history', ({ body }) => keys.history(take(historyQuery, body))],
];
