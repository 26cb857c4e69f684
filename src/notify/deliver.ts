import { fault } from '../core/index.ts';
import {
  createRouteWorker,
  type DeliverySummary,
  type RouteWorker,
  type RouteWorkerDeps,
  type CycleOptions,
} from './route-worker.ts';
import { mailRouteName, type OutboxRoute } from './route.ts';
import { settleAttempt, type SettleDeps } from './settle.ts';

/** The outbox worker, the only sender: sends the exact stored bytes and records the outcome. */
export type Delivery = {
  /** Names of the declared routes: each is processed separately, so that a slow one delays no other. */
  readonly routes: readonly string[];
  readonly runCycle: (route: string, signal: AbortSignal) => Promise<DeliverySummary>;
  /** One pass over the rows of undeclared routes, which are deferred and finally given up. */
  readonly deferUndeclared: (signal: AbortSignal) => Promise<DeliverySummary>;
  /** Attempts the due rows, or only the named ones, and does not wait for rates. */
  readonly deliver: (options: {
    readonly ids?: readonly string[] | undefined;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<DeliverySummary>;
};

/** Rows of an undeclared route are retried as if its server were down. */
const undeclared = (name: string): OutboxRoute => ({
  name,
  begin: () => ({
    send: () =>
      Promise.resolve({
        state: 'deferred',
        closed: true,
        fault: fault(
          'mail-not-configured',
          name === mailRouteName
            ? 'no mail server is configured'
            : `the configuration has no route named ${name}`,
          name === mailRouteName
            ? {}
            : { advice: `add the route ${name} again, or drop the rows (tollkeeper outbox drop)` },
        ),
      }),
  }),
});

const sumOf = (summaries: readonly DeliverySummary[]): DeliverySummary => {
  const sum = (state: 'sent' | 'deferred' | 'failed' | 'unknown'): number =>
    summaries.reduce((total, summary) => total + summary[state], 0);
  const problem = summaries.find((summary) => summary.problem !== undefined)?.problem;
  return {
    sent: sum('sent'),
    deferred: sum('deferred'),
    failed: sum('failed'),
    unknown: sum('unknown'),
    problem,
  };
};

export const createDelivery = (deps: RouteWorkerDeps, declared: readonly OutboxRoute[]): Delivery => {
  const routeWorkers = new Map<string, RouteWorker>(
    declared.map((route) => [route.name, createRouteWorker(route, deps)]),
  );
  const routeWorkerOf = (name: string): RouteWorker => {
    const known = routeWorkers.get(name) ?? createRouteWorker(undeclared(name), deps);
    routeWorkers.set(name, known);
    return known;
  };
  const waitedFor = async (): Promise<readonly string[]> => [
    ...new Set((await deps.outbox.due(deps.clock.now())).map(({ route }) => route)),
  ];
  const runAllCycles = async (names: readonly string[], options: CycleOptions): Promise<DeliverySummary> =>
    sumOf(await Promise.all(names.map((name) => routeWorkerOf(name).runCycle(options))));
  const routes = declared.map(({ name }) => name);
  return {
    routes,
    runCycle: (name, signal) => routeWorkerOf(name).runCycle({ waits: true, signal }),
    deferUndeclared: async (signal) =>
      runAllCycles(
        (await waitedFor()).filter((name) => !routes.includes(name)),
        { waits: false, signal },
      ),
    deliver: async (options) => runAllCycles(await waitedFor(), { ...options, waits: false }),
  };
};

/**
 * Call it once at startup, before sending: rows that a crashed process left in `sending` may have been sent.
 * Returns their number.
 */
export const recoverInterrupted = async (deps: SettleDeps): Promise<number> => {
  const left = await deps.outbox.list({ states: ['sending'] });
  const message = 'the process ended while the mail was being sent; it may or may not have arrived';
  for (const row of left)
    await settleAttempt(row, { state: 'unknown', fault: fault('mail-outcome-unknown', message) }, deps);
  return left.length;
};
