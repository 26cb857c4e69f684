import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import { killAfter } from '../../support/child-module.ts';
import { few } from '../../support/storm.ts';
import { optionsIn, testFolder } from '../../warehouse/support.ts';

/**
 * A day a pass: lands its calls, sometimes twice or restated, and evaluates a daily budget that every second day exceeds,
 * also with a clock that is off by hours. Each step that is stored is a line.
 */
const child = `
  const [outbox, seedText] = given;
  const { writeFile } = await import('node:fs/promises');
  const { jobKinds } = await import(out + '/jobs/index.js');
  const { mailFolder } = await import(out + '/notify/index.js');
  const clock = { ...base.systemClock };
  const warehouse = await openWarehouse({ ...options, clock });
  const { alerts } = warehouse;
  const heard = (name, work) => async (...given) => { const result = await work(...given); say(name); return result; };
  const watched = {
    ...warehouse,
    alerts: {
      ...alerts,
      decide: heard('decided', alerts.decide),
      putStatus: heard('status', alerts.putStatus),
    },
    outbox: { ...warehouse.outbox, list: heard('mail begun', warehouse.outbox.list) },
  };
  const kind = jobKinds.find((one) => one.kind === 'alert');
  const settings = await kind.shape.parseAsync({ lag: '0s' });
  const money = base.money;
  const budget = {
    name: 'all', scope: { kind: 'account' }, amount: money('10'), currency: 'USD', period: 'day', anchorDay: 1, zone: 'UTC',
    thresholds: [{ label: '50%', amount: money('5') }, { label: '100%', amount: money('10') }], forecastThresholds: [],
    owner: ['owner@example.com'],
  };
  const day = 86400;
  let seed = Number(seedText);
  const random = (most) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % most; };
  const land = async (from, charge) => {
    const file = spool + '/rows.csv';
    await writeFile(file, (from + 3600) + ',m,k,1,' + charge + '\\n');
    await warehouse.logs.landWindow({
      account: 'main', window: { start: from, end: from + day }, asked: { start: from - 1, end: from + day }, file, bytes: 0,
      served: 1, columns: ['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota'].map((name) => ({ name, role: name })),
      time: { form: 'seconds' }, guarded: false, quotedNewlines: false, currency: 'USD',
      amounts: { form: 'currency', unitsPerCurrency: 500000, decimalsWritten: true }, opensRange: true,
    });
  };
  const evaluate = async (slot) => {
    clock.now = () => slot;
    await kind.run(settings, {
      name: 'alerts', runId: 'r', slot, interval: { start: slot, end: slot }, trigger: 'schedule', zone: 'UTC', locale: 'en',
      account: { name: 'main', currency: 'USD', profile: base.unknownGateway, gateway: {} }, warehouse: watched,
      spoolDirectory: spool, reportDirectories: [], reports: { folder: spool, attachLimit: 1 },
      costOwners: { teams: [], prices: [], operators: ['ops@example.com'], budgets: [budget] },
      mail: { from: 'tollkeeper@example.com', mails: mailFolder(outbox) }, clock, log: base.silentLog, progress: base.noProgress,
      signal: new AbortController().signal,
    });
  };
  const covered = await warehouse.logs.watermark('main');
  for (let pass = covered === undefined ? 0 : covered.end / day; ; pass += 1) {
    // The last day again first: its evaluation may not have ended.
    if (pass > 0) await evaluate(pass * day * 1000);
    const charge = pass % 2 === 0 ? 20 + random(5) : 1;
    await land(pass * day, charge);
    if (random(3) === 0) await land(pass * day, charge);
    if (random(3) === 0) await evaluate((pass + 1) * day * 1000 + (random(73) - 36) * 3600000);
    if (random(3) === 0 && pass % 2 === 0) await land(pass * day, charge + 1);
    await evaluate((pass + 1) * day * 1000);
    say('day ' + pass);
  }`;

it('an alert and its recovery are each mailed exactly once, although processes in turn are killed at any step, and pulls are repeated and restated', async () => {
  await using folder = await testFolder();
  const options = optionsIn(folder, join(folder.path, 'crash.duckdb'));
  const outbox = join(folder.path, 'outbox');
  await mkdir(folder.spool, { recursive: true });
  const rounds = fc.sample(fc.integer({ min: 1, max: 24 }), few(10, 30));
  for (const [round, lines] of rounds.entries()) {
    const seed = String(round * 77 + lines);
    const heard = await killAfter(
      (_, count) => count === lines,
      child,
      options.path,
      folder.spool,
      outbox,
      seed,
    );
    expect(heard, `round ${round}`).toBeGreaterThanOrEqual(lines);
  }
  // A last process ends what the ones before began.
  let days = 0;
  const isDay = (line: string): boolean => {
    if (!line.startsWith('day ')) return false;
    days = Number(line.slice(4));
    return true;
  };
  await killAfter(isDay, child, options.path, folder.spool, outbox, '1');
  await using warehouse = await openWarehouse(options);
  const records = (await warehouse.alerts.records('main')).filter(({ alert }) => alert === 'all');
  // Day 0, 2, 4 and so on exceed the budget, each at both thresholds.
  const first = Number(records[0]?.period) / 86_400;
  expect(first).toBe(0);
  const raised = Math.floor(days / 2) + 1;
  expect(records.length).toBeGreaterThanOrEqual(2 * raised);
  const rows = (await warehouse.outbox.list({ kind: 'alert' })).filter(({ title }) =>
    /Budget all/.test(title ?? ''),
  );
  const mails = (recipient: string, title: RegExp) =>
    rows.filter((row) => row.recipient === recipient && title.test(row.title ?? ''));
  const ended = records.filter(({ state }) => state === 'recovered').length / 2;
  for (const recipient of ['ops@example.com', 'owner@example.com']) {
    expect(mails(recipient, /Budget all: /)).toHaveLength(records.length / 2);
    expect(mails(recipient, /below its threshold again/)).toHaveLength(ended);
  }
  expect(new Set(rows.map(({ subject, recipient }) => `${subject} ${recipient}`)).size).toBe(rows.length);
}, 600_000);
