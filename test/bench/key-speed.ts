import { judgeKey, type KeyBehaviour } from '../../src/monitoring/index.ts';
import { createRandom } from '../fuzz/random.ts';
import type { BenchReport } from './report.ts';

const keys = 600;
const months = 10;
const hoursADay = 24;
/** Days before the first that is judged. */
const warmUp = 28;
/** The default of the setting. */
const floor = 10;

/** Spend of an hour by model. */
type Hour = ReadonlyMap<string, number>;

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * The hours of a key that has not leaked. Some keys are used around the clock, some in office hours, some rarely. The owner tries new models, runs batches
 * of up to 20 times a day, works late, and changes its level for good.
 */
const keyHours = (random: () => number, days: number): Hour[] => {
  let level = 0.3 * 10 ** (2 * random());
  const models = Array.from({ length: 1 + Math.floor(3 * random()) }, (_, at) => `model-${at}`);
  const [opens, open] = [Math.floor(24 * random()), random() < 0.3 ? 24 : 4 + Math.floor(10 * random())];
  const daily = random() < 0.2 ? 0.2 : 0.95;
  const hours: Hour[] = [];
  for (let day = 0; day < days; day += 1) {
    if (random() < 1 / 45) models.push(`model-${models.length}`);
    if (random() < 1 / 120) level *= 0.4 + 2 * random();
    const isUsed = random() < daily;
    const batch = random() < 1 / 60 ? 2 + 18 * random() : 1;
    const late = random() < 1 / 30 ? 1 + Math.floor(4 * random()) : 0;
    const noise = Math.exp(0.4 * normal(random)) * batch;
    for (let hour = 0; hour < hoursADay; hour += 1) {
      const place = (hour - opens + hoursADay) % hoursADay;
      const spend = new Map<string, number>();
      if (isUsed && place < open + late)
        for (const model of models)
          if (random() < 0.7)
            spend.set(model, ((level * noise) / open / models.length) * Math.exp(0.5 * normal(random)));
      hours.push(spend);
    }
  }
  return hours;
};

const judgeAt = (hours: readonly Hour[], end: number, isOpen: boolean): KeyBehaviour | undefined => {
  const byModel = new Map<string, number>();
  const byHour = new Map<number, number>();
  for (let hour = end - hoursADay; hour < end; hour += 1)
    for (const [model, spend] of hours[hour] ?? []) {
      byModel.set(model, (byModel.get(model) ?? 0) + spend);
      byHour.set(hour % hoursADay, (byHour.get(hour % hoursADay) ?? 0) + spend);
    }
  const first = Math.max(0, end - 70 * hoursADay);
  const models = new Set<string>();
  const used = new Set<number>();
  const before: number[] = [];
  for (let from = end - 2 * hoursADay; from >= first; from -= hoursADay) {
    let sum = 0;
    for (let hour = from; hour < from + hoursADay; hour += 1)
      for (const [model, spend] of hours[hour] ?? []) {
        sum += spend;
        models.add(model);
        used.add(hour % hoursADay);
      }
    before.push(sum);
  }
  return judgeKey({ before, byModel, byHour, models, hours: used }, floor, isOpen);
};

/** Alerts about keys that did not leak, and planted leaks that the runs of their first day miss. */
export const benchKeys = (report: BenchReport, scale: number): void => {
  const count = Math.max(1, Math.round(keys * scale));
  report.title(`Use of keys: ${count} keys, ${months} months each, four runs a day`);
  let alarms = 0;
  let [planted, missed] = [0, 0];
  for (let seed = 1; seed <= count; seed += 1) {
    const { next: random } = createRandom(seed * 2657 + 11);
    const days = warmUp + 30 * months;
    const hours = keyHours(random, days);
    let isOpen = false;
    for (let end = warmUp * hoursADay; end <= days * hoursADay; end += 6) {
      const found: boolean = judgeAt(hours, end, isOpen) !== undefined;
      if (found && !isOpen) alarms += 1;
      isOpen = found;
    }
    // Somebody else calls the dearest models around the clock, for 30 to 300 times what the key costs.
    const start = (warmUp + Math.floor(random() * 30 * months * 0.9)) * hoursADay;
    const usual =
      hours
        .slice(start - 28 * hoursADay, start)
        .reduce((sum, hour) => sum + [...hour.values()].reduce((all, one) => all + one, 0), 0) / 28;
    const factor = 30 * 10 ** random();
    if (usual * factor < floor) continue;
    planted += 1;
    const stolen = hours.map((hour, at): Hour =>
      at >= start && at < start + hoursADay
        ? new Map([...hour, ['dear', (usual * factor) / hoursADay]])
        : hour,
    );
    if (judgeAt(stolen, start + hoursADay, false) === undefined) missed += 1;
  }
  report.figure('alerts without a leak, for 100 keys and a month', (100 * alarms) / (count * months), '', 1);
  report.row('  alerts; months of keys', `${alarms}; ${count * months}`);
  report.figure('leaks that the first day misses', (100 * missed) / Math.max(1, planted), '%', 5);
  report.row('  planted leaks above the floor', String(planted));
};
