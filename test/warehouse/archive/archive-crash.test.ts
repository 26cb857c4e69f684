import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { interval } from '../../../src/core/index.ts';
import type { LogBatch } from '../../../src/warehouse/index.ts';
import { runUntilKilled } from '../../support/child-module.ts';
import { archiveOf, at, batchOfCalls, now, openAt, rowsAtRest, someCalls, year } from './archive-support.ts';
import { testFolder } from '../support.ts';
import { sampled } from '../../support/storm.ts';

/** A run of the archive, then a landing into an archived month, killed at the moment named: nothing is tidied up. */
const child = `
  const [batch, moment] = given;
  const clock = { ...base.systemClock, now: () => ${now} };
  const warehouse = await openWarehouse({ ...options, clock });
  const [what, step, month] = moment.split(' ');
  const run = () => warehouse.archive.run({ account: 'main', settle: 0, retain: 1, onStep: (at, of) => {
    if (what === 'step' && at === step && of === month) die();
    if (what === 'after' && at === 'leaving' && of === month) setTimeout(die, Number(step));
  } });
  await run();
  const landing = warehouse.logs.landWindow(JSON.parse(batch));
  if (what === 'landing') setTimeout(die, Number(step));
  await landing;
  if (what === 'landed') die();
  await run();
  die();`;

const winter = interval(at('2024-01-01'), at('2024-04-01'));

const allMoments = [
  ...['drafted', 'verified', 'noted', 'placed', 'recorded', 'leaving', 'left'].map(
    (step) => `step ${step} 2024-02`,
  ),
  'step cleaned main',
  'after 2 2024-03',
  'after 7 2024-03',
  'landing 3',
  'landing 12',
  'landed',
  'end',
];

/** Outside a storm every other one. */
const moments = sampled(allMoments, 2);

it('an archive run killed at any moment loses and duplicates nothing, and the next run completes it', async () => {
  await using folder = await testFolder();
  const calls = someCalls(winter, 12_000);
  const february = interval(at('2024-02-10'), at('2024-02-20'));
  const again = calls.filter((call) => call.at >= february.start && call.at < february.end);
  const truth = await (async () => {
    await using plain = await openAt(folder, 'plain');
    await plain.logs.landWindow(await batchOfCalls(folder, winter, calls));
    return plain.spend('main', year);
  })();
  const { rows } = await rowsAtRest(folder, 'plain');
  for (const [index, moment] of moments.entries()) {
    const name = `crash-${index}`;
    await cp(join(folder.path, 'plain'), join(folder.path, name), { recursive: true });
    // The same rows land again, so that what is true stays so.
    const batch = JSON.stringify(await batchOfCalls(folder, february, again));
    const database = join(folder.path, name, 'test.duckdb');
    expect(await runUntilKilled(child, database, folder.spool, batch, moment)).toBe('SIGKILL');
    expect((await rowsAtRest(folder, name)).rows, moment).toEqual(rows);
    await using warehouse = await openAt(folder, name);
    expect(await warehouse.spend('main', year), moment).toEqual(truth);
    // The month is other bytes by now, so that a file which nobody knew of would stay.
    await warehouse.logs.landWindow(JSON.parse(batch) as LogBatch);
    expect(await warehouse.archive.run({ account: 'main', settle: 0, retain: 1 })).toMatchObject({ kept: 3 });
    expect(await warehouse.spend('main', year), moment).toEqual(truth);
    const left = await readdir(archiveOf(folder, name), { recursive: true });
    expect(left.filter((one) => one.includes('calls')).length, moment).toBe(3);
  }
}, 300_000);
