import { fault } from '../base/index.ts';
import { createLane } from './lane.ts';
import type { DeliverySummary, Lane, LaneMeans, PassOptions } from './lane.ts';
import { mailRouteName } from './route.ts';
import type { OutboxRoute } from './route.ts';
import { settleAttempt } from './settle.ts';
import type { SettleMeans } from './settle.ts';

/** The outbox worker: it alone sends, with the exact bytes that were stored, and writes down how it ended. */
export type Delivery = {
  /** Names of the routes that are declared: each is worked off by itself, so that none waits for another. */
  readonly routes: readonly string[];
  /** One pass over one route. */
  readonly pass: (route: string, signal: AbortSignal) => Promise<DeliverySummary>;
  /** One pass over the rows whose route is not declared: they are put off, and given up in the end. */
  readonly passUndeclared: (signal: AbortSignal) => Promise<DeliverySummary>;
  /** Tries what is due, of these rows alone when they are named, and waits for no rate. */
  readonly deliver: (options: {
    readonly ids?: readonly string[];
    readonly signal?: AbortSignal;
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
            ? 'no mail server is declared'
            : `the config declares no way out named ${name} (any more)`,
          name === mailRouteName
            ? {}
            : { advice: `declare ${name} again, or drop the rows (tollkeeper outbox drop)` },
        ),
      }),
  }),
});

const sumOf = (summaries: readonly DeliverySummary[]): DeliverySummary => {
  const sum = (state: 'sent' | 'deferred' | 'failed' | 'unknown'): number =>
    summaries.reduce((total, summary) => total + summary[state], 0);
  const trouble = summaries.find((summary) => summary.trouble !== undefined)?.trouble;
  return {
    sent: sum('sent'),
    deferred: sum('deferred'),
    failed: sum('failed'),
    unknown: sum('unknown'),
    ...(trouble === undefined ? {} : { trouble }),
  };
};

export const createDelivery = (means: LaneMeans, declared: readonly OutboxRoute[]): Delivery => {
  const lanes = new Map<string, Lane>(declared.map((route) => [route.name, createLane(route, means)]));
  const laneOf = (name: string): Lane => {
    const known = lanes.get(name) ?? createLane(undeclared(name), means);
    lanes.set(name, known);
    return known;
  };
  /** Routes that rows wait for. */
  const waitedFor = async (): Promise<readonly string[]> => [
    ...new Set((await means.outbox.due(means.clock.now())).map(({ route }) => route)),
  ];
  const passAll = async (names: readonly string[], options: PassOptions): Promise<DeliverySummary> =>
    sumOf(await Promise.all(names.map((name) => laneOf(name).pass(options))));
  const routes = declared.map(({ name }) => name);
  return {
    routes,
    pass: (name, signal) => laneOf(name).pass({ waits: true, signal }),
    passUndeclared: async (signal) =>
      passAll(
        (await waitedFor()).filter((name) => !routes.includes(name)),
        { waits: false, signal },
      ),
    deliver: async (options) => passAll(await waitedFor(), { ...options, waits: false }),
  };
};

/**
 * To be called once when the process starts, before anything is sent: rows left in `sending` by a process that died may
 * have gone out. Gives how many there were.
 */
export const recoverInterrupted = async (means: SettleMeans): Promise<number> => {
  const left = await means.outbox.list({ states: ['sending'] });
  const words = 'the process ended while the mail was being sent: it may or may not have arrived';
  for (const row of left)
    await settleAttempt(row, { state: 'unknown', fault: fault('mail-outcome-unknown', words) }, means);
  return left.length;
};
