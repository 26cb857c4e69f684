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

/** The outbox worker: it alone sends, with the exact bytes that were stored, and writes down how it ended. */
export type Delivery = {
  /** Names of the routes that are declared: each is processed by itself, so that none waits for another. */
  readonly routes: readonly string[];
  /** One pass over one route. */
  readonly runCycle: (route: string, signal: AbortSignal) => Promise<DeliverySummary>;
  /** One pass over the rows whose route is not declared: they are put off, and given up in the end. */
  readonly deferUndeclared: (signal: AbortSignal) => Promise<DeliverySummary>;
  /** Tries what is due, of these rows alone when they are named, and waits for no rate. */
  readonly deliver: (options: {
    readonly ids?: readonly string[] | undefined;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<DeliverySummary>;
};

/** Rows of a route that is not declared (any more) wait for it as for a server that is down. */
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
  /** Routes that rows wait for. */
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
 * To be called once when the process starts, before anything is sent: rows left in `sending` by a process that died may
 * have gone out. Gives how many there were.
 */
export const recoverInterrupted = async (deps: SettleDeps): Promise<number> => {
  const left = await deps.outbox.list({ states: ['sending'] });
  const message = 'the process ended while the mail was being sent; it may or may not have arrived';
  for (const row of left)
    await settleAttempt(row, { state: 'unknown', fault: fault('mail-outcome-unknown', message) }, deps);
  return left.length;
};
