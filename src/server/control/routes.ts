import { pid } from 'node:process';
import { z } from 'zod';
import { fault, localeTags } from '../../core/index.ts';
import { outboxStates } from '../../warehouse/index.ts';
import type { Commands } from '../commands-port.ts';
import type { Asked } from './asked.ts';
import { keyRoutes } from './key-routes.ts';

type Route = (asked: Asked) => Promise<unknown>;

/** No name or moment is longer. */
const text = z.string().min(1).max(1000);
const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'must be a whole number from 1')
  .transform(Number);

const runsQuery = z.strictObject({ job: z.exactOptional(text), limit: count });
const nextQuery = z.strictObject({ job: z.exactOptional(text), count });
const runRequest = z.strictObject({ job: text, slot: z.exactOptional(text) });
const backfillRequest = z.strictObject({ job: text, from: text, to: text });
const reportRequest = z.strictObject({
  report: text,
  period: z.exactOptional(text),
  comparison: z.exactOptional(z.enum(['previous', 'same-days-last-month', 'same-days-last-year', 'none'])),
  account: z.exactOptional(text),
  team: z.exactOptional(text),
  zone: z.exactOptional(text),
  locale: z.exactOptional(z.enum(localeTags)),
  attach: z.exactOptional(z.array(z.enum(['csv', 'xlsx', 'parquet']))),
});
const doctorRequest = z.strictObject({
  account: z.exactOptional(text),
  probeKeys: z.exactOptional(z.boolean()),
});
const reconcileRequest = z.strictObject({ from: text, to: text, account: z.exactOptional(text) });
const outboxStateList = z.array(z.enum(outboxStates));
const outboxQuery = z.strictObject({ states: z.exactOptional(text), limit: count });
const outboxRequest = z.strictObject({ ids: z.array(text).max(10_000) });
const anyRequest = z.union([runRequest, backfillRequest]);

const take = <T>(shape: z.ZodType<T>, given: unknown): T => {
  const read = shape.safeParse(given);
  if (read.success) return read.data;
  const places = read.error.issues.map(({ path, message }) => `${path.join('.') || 'order'}: ${message}`);
  throw fault('wrong-use', `the daemon cannot read what was asked of it (${places.join('; ')})`);
};

/** Who answers, for a greeting. */
export type Greeting = { readonly version: string; readonly pid: number };

/** Every command by its method and path. */
export const routesOf = (commands: Commands, version: string): ReadonlyMap<string, Route> =>
  new Map<string, Route>([
    ['GET /ping', async (): Promise<Greeting> => ({ version, pid })],
    ['GET /status', () => commands.status()],
    ['GET /runs', async ({ query }) => commands.runs(take(runsQuery, query))],
    ['GET /next', async ({ query }) => commands.next(take(nextQuery, query))],
    ['POST /plan', async ({ body }) => commands.plan(take(anyRequest, body))],
    [
      'POST /report',
      async ({ body, answer }) => commands.report(take(reportRequest, body), answer.progress, answer.signal),
    ],
    [
      'POST /doctor',
      async ({ body, answer }) => commands.doctor(take(doctorRequest, body), answer.progress, answer.signal),
    ],
    [
      'POST /reconcile',
      async ({ body, answer }) =>
        commands.reconcile(take(reconcileRequest, body), answer.progress, answer.signal),
    ],
    [
      'GET /outbox',
      async ({ query }) => {
        const { states, limit } = take(outboxQuery, query);
        return commands.outbox({
          limit,
          ...(states === undefined ? {} : { states: take(outboxStateList, states.split(',')) }),
        });
      },
    ],
    [
      'POST /outbox/resend',
      async ({ body, answer }) => commands.resend(take(outboxRequest, body), answer.signal),
    ],
    ['POST /outbox/drop', async ({ body }) => commands.drop(take(outboxRequest, body))],
    [
      'POST /run',
      async ({ body, answer }) => commands.run(take(runRequest, body), answer.progress, answer.signal),
    ],
    [
      'POST /backfill',
      async ({ body, answer }) =>
        commands.backfill(take(backfillRequest, body), answer.progress, answer.onRun, answer.signal),
    ],
    ...keyRoutes(commands.keys, take),
  ]);
