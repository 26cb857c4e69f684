import { hourSeconds, sum, unixSeconds } from '../../src/core/index.ts';
import { findUnusual, type HourlySpend } from '../../src/monitoring/index.ts';
import { createRandom } from '../fuzz/random.ts';
import type { BenchReport } from './report.ts';
import { firstHour, hourAt, hourlyAccount, together } from './unusual-series.ts';

const accounts = 60;
/** Weeks before the first that is judged, and those that are. */
const [before, judged] = [2, 8];

/** The default of the setting. */
const floor = 1;

type Scope = { readonly name: string; readonly hours: HourlySpend };

/** The scopes that alert after each hour, without those that alerted in the hour before: what is mailed. */
const alertsOf = (scopes: readonly Scope[], from: number, to: number): readonly string[] => {
  const mails: string[] = [];
  let firing = new Set<string>();
  for (let hour = from; hour < to; hour += hourSeconds) {
    const end = unixSeconds(hour + hourSeconds);
    const known = unixSeconds(firstHour);
    const now = new Set(
      scopes.flatMap(({ name, hours }) =>
        findUnusual({ hours, end, known, floor, isExpected: () => false }) === undefined ? [] : [name],
      ),
    );
    // One mail for all that begins with a run.
    if ([...now].some((name) => !firing.has(name))) mails.push(`${hour}`);
    firing = now;
  }
  return mails;
};

/** False alarms of unusual spend in simulated accounts, and the planted spikes that are found by the run after their hour. */
export const benchUnusual = (report: BenchReport, scale: number): void => {
  const count = Math.max(1, Math.round(accounts * scale));
  report.title(`Unusual spend: ${count} accounts of 6 to 19 services, ${judged} weeks each, a run each hour`);
  let mails = 0;
  let [planted, found] = [0, 0];
  for (let seed = 1; seed <= count; seed += 1) {
    const services = hourlyAccount(seed, before + judged);
    const account = { name: 'account', hours: together(services) };
    mails += alertsOf([account, ...services], hourAt(before, 0), hourAt(before + judged, 0)).length;
    const { next: random } = createRandom(seed * 31 + 7);
    for (const { hours, usual } of services) {
      const hour = hourAt(before, Math.floor(random() * judged * 7 * 24));
      const own = hours.get(hour);
      if (own === undefined || (usual.get(hour) ?? 0) < 30) continue;
      // Three times the usual calls, at what the series pays for one.
      const calls = Math.round(3 * (usual.get(hour) ?? 0));
      const all = [...hours.values()];
      const price = sum(all.map(({ spend }) => spend)) / sum(all.map((one) => one.calls));
      const spiked = new Map(hours).set(hour, { calls, spend: calls * price });
      const end = unixSeconds(hour + hourSeconds);
      const known = unixSeconds(firstHour);
      if ((calls * price * 2) / 3 < floor) continue;
      planted += 1;
      if (findUnusual({ hours: spiked, end, known, floor, isExpected: () => false }) !== undefined)
        found += 1;
    }
  }
  report.figure('mails about nothing, per account and week', mails / (count * judged), '', 1);
  report.row('  mails; weeks of accounts', `${mails}; ${count * judged}`);
  report.figure(
    'spikes of 3 times an hour that the next run misses',
    (100 * (planted - found)) / Math.max(1, planted),
    '%',
    5,
  );
  report.row('  planted spikes above the floor', String(planted));
};
