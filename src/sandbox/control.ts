import { json, type Answer } from './answer.ts';
import { checkHostile } from './hostile/hostile.ts';
import { parseFault, type Faults } from './faults.ts';
import { isRecord, wholeParameter, type Request } from './request.ts';
import type { Requests } from './requests.ts';
import { remainOf, syncTraffic, type State } from './state.ts';
import type { Truth } from './truth.ts';

const filler = { group: 'default', remain: 0n, unlimited: true, expiredTime: -1 } as const;

export const createTraffic = (state: State) => ({
  /** Creates `count` keys without calls, named `name` plus a number. */
  addKeys(count: number, name: string): void {
    const before = state.keys.all().length;
    for (let made = 1; made <= count; made += 1)
      state.keys.create({ ...filler, name: `${name}-${before + made}`, createdAt: state.seconds() });
  },
  /** Removes `count` keys of this name, alternately the oldest and the newest. */
  removeKeys(count: number, name: string): void {
    for (let removed = 0; removed < count; removed += 1) {
      const own = state.keys.all().filter((key) => key.name.startsWith(`${name}-`));
      const key = removed % 2 === 0 ? own.at(0) : own.at(-1);
      if (key !== undefined) state.keys.remove(key.id, state.seconds());
    }
  },
  /** Disables a key as an administrator would. False for an unknown key. */
  disableKey(id: number): boolean {
    const key = state.keys.get(id);
    if (key === undefined) return false;
    key.disabled = true;
    key.disabledAt = state.seconds();
    syncTraffic(state, key);
    return true;
  },
  /** From the next second on, the simulated calls of one key use another. */
  moveTraffic(from: number, to: number): boolean {
    const [giver, taker] = [state.keys.get(from), state.keys.get(to)];
    if (giver?.consumer === undefined || taker === undefined) return false;
    remainOf(state, giver);
    taker.consumer = giver.consumer;
    taker.remainSince = state.seconds();
    giver.consumer = undefined;
    syncTraffic(state, taker);
    return true;
  },
});

/** The parts of a running sandbox; `state` is for reading alone. */
export type Gateway = {
  readonly state: State;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly truth: Truth;
  readonly traffic: ReturnType<typeof createTraffic>;
};

const bad = (message: string): Answer => json(400, { error: message });
const done = (value: boolean): Answer =>
  value ? json(200, { ok: true }) : json(404, { error: 'no such key' });

type Endpoint = (gateway: Gateway, request: Request, id: number) => Answer;

/** The control endpoints under /_sandbox/, for a sandbox in its own process; `#` stands for the id of a key. */
const endpoints: Readonly<Record<string, Endpoint>> = {
  'GET /_sandbox/faults': ({ faults }) => json(200, faults.pending()),
  'DELETE /_sandbox/faults': ({ faults }) => {
    faults.clear();
    return json(200, []);
  },
  'POST /_sandbox/faults': ({ faults }, { body }) => {
    const fault = parseFault(body);
    if (typeof fault === 'string') return bad(fault);
    faults.plant(fault);
    return json(201, faults.pending());
  },
  'GET /_sandbox/requests': ({ requests }) =>
    json(
      200,
      requests.all().map(({ fault = null, body, ...record }) => ({
        ...record,
        body: JSON.stringify(body) ?? null,
        fault,
      })),
    ),
  'GET /_sandbox/writes': ({ requests }) => json(200, requests.keyWrites()),
  'POST /_sandbox/keys': ({ traffic }, { body }) => {
    if (!isRecord(body) || !Number.isSafeInteger(body['count']) || typeof body['name'] !== 'string')
      return bad('count is a number, name a text');
    traffic.addKeys(Number(body['count']), body['name']);
    return json(201, { ok: true });
  },
  'POST /_sandbox/hostile': ({ state }, { body }) => {
    if (!isRecord(body) || typeof body['name'] !== 'string') return bad('name is a text');
    try {
      state.hostile = checkHostile(body['name']);
    } catch (error) {
      return bad(String(error));
    }
    return json(200, { ok: true });
  },
  'GET /_sandbox/truth': ({ truth }, { query }) => {
    const [start, end] = [wholeParameter(query, 'start'), wholeParameter(query, 'end')];
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end))
      return bad('start and end are Unix seconds');
    return json(200, truth.sums(Number(start), Number(end)));
  },
  'POST /_sandbox/keys/#/disable': ({ traffic }, _, id) => done(traffic.disableKey(id)),
  'POST /_sandbox/keys/#/move-traffic': ({ traffic }, { body }, id) =>
    done(isRecord(body) && traffic.moveTraffic(id, Number(body['to']))),
};

/** Only for callers on loopback. */
export const control = (gateway: Gateway, request: Request): Answer | undefined => {
  const [id = ''] = /\d+/u.exec(request.path) ?? [];
  const at = `${request.method} ${request.path.replace(id, id === '' ? '' : '#')}`;
  return endpoints[at]?.(gateway, request, Number(id));
};
