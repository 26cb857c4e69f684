import { groupBy, type UnixMillis } from '../../core/index.ts';

/** Identifies one alert: it is notified of once, and its end once. */
export type AlertKey = {
  /** What it is about: the name of a budget, `runway`, `data`, or `key:NAME`. */
  readonly alert: string;
  /** The threshold, such as `actual 80%`. */
  readonly level: string;
  /** The period of the budget, as the second at which it starts; for other alerts, the moment at which it was raised. */
  readonly period: string;
};

/** What one evaluation found. `unchanged`: unknown, or too close to the threshold to end the alert. */
export type Condition = Omit<AlertKey, 'period'> & {
  /** Omitted for conditions without periods: these are notified of again after they have ended. */
  readonly period?: string;
  /** `over`: the period has ended, and the forecast that fired is no longer one. */
  readonly state: 'firing' | 'clear' | 'unchanged' | 'over';
};

/** An alert that was raised. Moments in milliseconds UTC. */
export type AlertRecord = AlertKey & {
  /** `ended`: with its period, or its threshold. */
  readonly state: 'firing' | 'recovered' | 'ended';
  readonly raisedAt: UnixMillis;
  /** When it recovered or ended. */
  readonly recoveredAt?: UnixMillis | undefined;
};

export type AlertDecision = {
  readonly raised: readonly AlertRecord[];
  readonly recovered: readonly AlertRecord[];
  /** Alerts whose period has ended or whose threshold no longer exists, without a notification. */
  readonly ended: readonly AlertRecord[];
};

type DecideInput = {
  readonly conditions: readonly Condition[];
  /** All records of the alerts that the conditions name. */
  readonly records: readonly AlertRecord[];
  readonly isMuted: (alert: string) => boolean;
  readonly now: UnixMillis;
};

const keyOf = ({ alert, level, period }: AlertKey): string => JSON.stringify([alert, level, period]);
const levelOf = ({ alert, level }: Pick<AlertKey, 'alert' | 'level'>): string =>
  JSON.stringify([alert, level]);

/**
 * The alerts that begin and end with an evaluation. Within a period, a level is raised once and recovers once, however
 * often the figures cross it. A muted condition is not raised until the mute ends. A record of a period ends once a later
 * period is known: only a figure that falls in its own period is a recovery.
 */
export const decideAlerts = ({ conditions, records, isMuted, now }: DecideInput): AlertDecision => {
  const known = new Map(records.map((record) => [keyOf(record), record]));
  const firing = groupBy(
    records.filter(({ state }) => state === 'firing'),
    levelOf,
  );
  const raised: AlertRecord[] = [];
  const recovered = new Map<string, AlertRecord>();
  const ended = new Map<string, AlertRecord>();
  const recover = (record: AlertRecord): void =>
    void recovered.set(keyOf(record), { ...record, state: 'recovered', recoveredAt: now });
  const end = (record: AlertRecord): void =>
    void ended.set(keyOf(record), { ...record, state: 'ended', recoveredAt: now });
  for (const { alert, level, period, state } of conditions) {
    const open = firing.get(levelOf({ alert, level })) ?? [];
    if (period === undefined) {
      if (state === 'clear') open.forEach(recover);
      if (state === 'firing' && open.length === 0 && !isMuted(alert))
        raised.push({ alert, level, period: String(now), state: 'firing', raisedAt: now });
      continue;
    }
    const key = { alert, level, period };
    const record = known.get(keyOf(key));
    if (state === 'clear' && record?.state === 'firing') recover(record);
    if (state === 'over' && record?.state === 'firing') end(record);
    if (state === 'firing' && record === undefined && !isMuted(alert))
      raised.push({ ...key, state: 'firing', raisedAt: now });
    if (state !== 'unchanged') for (const old of open) if (Number(old.period) < Number(period)) end(old);
  }
  // Levels of the other alerts belong to jobs, of which there may be several.
  const named = new Set(conditions.flatMap(({ alert, period }) => (period === undefined ? [] : [alert])));
  const levels = new Set(conditions.map(levelOf));
  for (const record of [...firing.values()].flat())
    if (named.has(record.alert) && !levels.has(levelOf(record))) end(record);
  for (const key of recovered.keys()) ended.delete(key);
  return { raised, recovered: [...recovered.values()], ended: [...ended.values()] };
};
