import { readdir } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { interval, isFault, systemClock, unixMillis, unknownGateway } from '../../../src/core/index.ts';
import {
  pullLogs,
  type LogPull,
  type LogPullDeps,
  type LogQuery,
  type PullSummary,
} from '../../../src/ingest/index.ts';
import { openWarehouse, type LogBatch, type Warehouse } from '../../../src/warehouse/index.ts';
import { few, chaosFactor } from '../../support/storm.ts';
import { optionsIn, type TestFolder } from '../../warehouse/support.ts';
import { chunksOf, csvOf, seconds, type SourceRow } from './log-source.ts';
import { days, scenario, type Scenario, type Step } from './multiset-drawn.ts';
import {
  changesOf,
  createModel,
  day,
  dueBy,
  isBad,
  leftOf,
  noAmount,
  storedRow,
  tableRow,
} from './multiset-model.ts';
import { effectsWith, stopped, strikeStatements, type Effects } from './struck-effects.ts';
import { base, pullOf, testFolder } from '../support.ts';
import { callsWithJson } from '../../../src/warehouse/logs/extra.ts';

const revisit = { after: [day, 2 * day], zone: 'UTC' };

/** All of a world in memory: a warehouse with a clock of the test, and a look into its tables. */
const openWorld = async (folder: TestFolder) => {
  let now = base * 1000;
  const made = vi.spyOn(DuckDBInstance, 'create');
  const clock = { ...systemClock, now: () => unixMillis(now) };
  const warehouse = await openWarehouse({ ...optionsIn(folder), clock });
  const instance: DuckDBInstance | undefined = await made.mock.results[0]?.value;
  made.mockRestore();
  if (instance === undefined) throw new Error('the warehouse has made no database');
  const connection = await instance.connect();
  return {
    warehouse,
    clock,
    setClock: (millis: number) => {
      now = millis;
    },
    /** Every row of the account and of none, whole. */
    table: async (account: string): Promise<readonly string[]> => {
      const sql = `SELECT * FROM ${callsWithJson} WHERE account IN ($account, '')`;
      const rows = (await connection.runAndReadAll(sql, { account })).getRowObjectsJson();
      expect(rows.filter((row) => row['account'] !== account)).toEqual([]);
      return rows.map(tableRow).toSorted();
    },
    [Symbol.asyncDispose]: async () => {
      connection.closeSync();
      await warehouse[Symbol.asyncDispose]();
    },
  };
};

type World = Awaited<ReturnType<typeof openWorld>>;

type Report = {
  readonly millis: number;
  readonly start: number;
  readonly end: number;
  readonly rows: readonly SourceRow[];
};

/** A gateway, a pull after the other, and what is to be held after each. */
const play = async (
  world: World,
  folder: TestFolder,
  statements: ReturnType<typeof strikeStatements>,
  account: string,
  drawn: Scenario,
): Promise<void> => {
  const { warehouse } = world;
  const every = drawn.rows.map((one, index) =>
    drawn.bad !== 'none' && index % 7 === 3 ? { ...one, kind: '', quota: noAmount } : one,
  );
  // A bad row at an end that no line end follows may be a cut one: it is told so, and can't be put aside.
  const style = { ...drawn.style, endsLines: drawn.style.endsLines || every.some(isBad) };
  const model = createModel();
  const reports: Report[] = [];
  let now = base;
  let since = base + drawn.since;
  let begun = false;

  /** What the gateway shows at the time; of each question, what came of its answer. */
  const gateway = (effects: Effects) => {
    const answers = new Map<
      string,
      { readonly rows: readonly SourceRow[] | undefined; readonly cut: boolean }
    >();
    const fetchLogs = async (query: LogQuery) =>
      effects.run('fetch', async () => {
        const shown = every.filter(({ shownFrom }) => shownFrom <= now);
        const inRange = shown
          .filter(({ at }) => at >= query.start && (style.endInclusive ? at <= query.end : at < query.end))
          .toSorted((left, right) => (style.newestFirst ? right.at - left.at : left.at - right.at));
        const bytes = Buffer.from(csvOf(inRange, style));
        const length = effects.cutAt(bytes);
        answers.set(
          `${query.start} ${query.end}`,
          length === undefined
            ? { rows: inRange, cut: false }
            : { rows: leftOf(inRange, style, length), cut: true },
        );
        return {
          body: (async function* () {
            for await (const piece of chunksOf(bytes.subarray(0, length), style.chunk)) {
              await effects.run('piece', async () => undefined);
              yield piece;
            }
          })(),
        };
      });
    return { fetchLogs, answers };
  };

  /** The warehouse with its effects struck; what it has landed goes into the model. */
  const watched = (
    effects: Effects,
    { answers }: ReturnType<typeof gateway>,
    until: number,
  ): LogPullDeps['warehouse'] => {
    const { logs } = warehouse;
    const struck =
      <A extends readonly unknown[], T>(work: (...given: A) => Promise<T>) =>
      async (...given: A): Promise<T> =>
        effects.run('warehouse', async () => work(...given));
    const landWindow: Warehouse['logs']['landWindow'] = async (batch: LogBatch, signal) => {
      const hidden = statements.hiddenCommits();
      let landed = false;
      try {
        return await effects.run('warehouse', async () => {
          const result = await logs.landWindow(batch, signal);
          landed = true;
          return result;
        });
      } finally {
        // What is told to stop in its commit may have made it: rows, ledger and span at once.
        const { length } = model.landings;
        landed ||= effects.signal.aborted && (await logs.windows(account)).length > length;
        if (landed || statements.hiddenCommits() > hidden) {
          const answer = answers.get(`${batch.asked.start} ${batch.asked.end}`);
          const { start, end } = batch.window;
          model.land({ start, end, settled: until, cut: answer?.cut === true }, answer?.rows);
        }
      }
    };
    return {
      profile: warehouse.profile,
      logs: {
        amounts: logs.amounts,
        landWindow,
        landings: struck(logs.landings),
        watermark: struck(logs.watermark),
        removeFutureRows: struck(logs.removeFutureRows),
      },
    };
  };

  const pull = async (step: Partial<Step>, change: Partial<LogPull> = {}): Promise<PullSummary | string> => {
    const effects = effectsWith(step.strike ?? undefined);
    const source = gateway(effects);
    const until = now - drawn.lag;
    const [from, to] = step.again ?? [];
    begun ||= typeof from !== 'number' && typeof to !== 'number';
    const request = pullOf(folder, warehouse, source, {
      account,
      since: seconds(since),
      until: seconds(until),
      profile: { ...unknownGateway, amounts: 'currency' },
      windowSeconds: step.windowSeconds ?? day,
      ahead: step.ahead ?? 0,
      revisit,
      badRows: drawn.bad === 'quarantine' ? 'quarantine' : 'fail',
      ...(typeof from === 'number' ? { from: seconds(from) } : {}),
      ...(typeof to === 'number' ? { to: seconds(to) } : {}),
      warehouse: watched(effects, source, until),
      openFile: effects.openFile,
      signal: effects.signal,
      clock: world.clock,
      ...change,
    });
    const outcome = await statements.during(effects, async () =>
      pullLogs(request).catch((error: unknown) => {
        const known = isFault(error) || error === stopped || String(error).includes('struck');
        if (!known) throw error;
        const isBadRow = isFault(error) && error.code === 'export-row-invalid' && drawn.bad === 'fail';
        if (effects.struck() === undefined && !(isBadRow && every.some(isBad))) throw error;
        return effects.struck() ?? 'a bad row';
      }),
    );
    await check();
    return outcome;
  };

  const check = async (): Promise<void> => {
    expect(model.broken).toEqual([]);
    const stored = model.rows();
    const noteName = style.names['note'] ?? 'note';
    expect(await world.table(account)).toEqual(
      stored
        .filter((one) => !isBad(one))
        .map((one) => storedRow(one, noteName))
        .toSorted(),
    );
    const aside = await warehouse.logs.quarantined(account);
    const ranges = aside.map(({ range }) => `${range.start} ${range.end}`).toSorted();
    expect(ranges).toEqual(
      stored
        .filter(isBad)
        .map(({ at }) => `${at} ${at + 1}`)
        .toSorted(),
    );
    expect(await readdir(folder.spool)).toEqual([]);
    const watermark = await warehouse.logs.watermark(account);
    // A span that was ordered begins nothing.
    if (!begun) expect(watermark).toBeUndefined();
    if (watermark !== undefined) model.expectLanded(watermark.start, watermark.end);
    for (const report of reports) {
      const inReport = ({ at }: SourceRow): boolean => at >= report.start && at < report.end;
      const reported = await warehouse.restatements.since(
        account,
        unixMillis(report.millis),
        interval(seconds(report.start), seconds(report.end)),
      );
      expect(
        reported.quarters.map(({ quarter, kind, old, new: current }) => [
          quarter,
          kind,
          [old.calls, current.calls],
          [old.amount, current.amount],
        ]),
      ).toEqual(
        changesOf(
          report.rows,
          stored.filter(inReport).filter((one) => !isBad(one)),
        ),
      );
    }
  };

  const makeReport = async (): Promise<void> => {
    const watermark = await warehouse.logs.watermark(account);
    if (watermark === undefined) return;
    const [start, end] = [Math.ceil(watermark.start / 900) * 900, Math.floor(watermark.end / 900) * 900];
    if (end <= start) return;
    const inReport = model.rows().filter((one) => one.at >= start && one.at < end && !isBad(one));
    reports.push({ millis: world.clock.now(), start, end, rows: inReport });
  };

  const advanceTime = (wait: number): void => {
    now += wait;
    // What happens at one moment can't be told apart by it.
    world.setClock(Math.max(now * 1000, world.clock.now() + 1));
  };

  world.setClock(base * 1000);
  for (const [index, step] of drawn.steps.entries()) {
    advanceTime(step.wait);
    if (index >= drawn.allFrom) since = base;
    const until = now - drawn.lag;
    const outcome = await pull(step);
    if (typeof outcome !== 'string' && step.again === null && until > since) {
      expect(await warehouse.logs.watermark(account)).toEqual({ start: since, end: until });
      model.expectRevisited(since, until, revisit.after);
    }
    if (step.report) await makeReport();
  }

  // By now all is shown, and each day has had its last revisit.
  since = base;
  advanceTime(Math.max(0, base + (days + 3) * day - now));
  const unread = drawn.bad === 'fail' ? { badRows: 'quarantine' as const } : {};
  expect(await pull({ ahead: 1 }, unread)).not.toBeTypeOf('string');
  const until = now - drawn.lag;
  const inTime = every.filter(({ at, shownFrom }) => {
    const due = dueBy(at - (at % day), until, revisit.after) ?? 0;
    const wasCut = model.landings.some(
      ({ start, end, settled, cut }) => cut && start <= at && end > at && settled >= due,
    );
    return at >= base && !wasCut && shownFrom <= due;
  });
  const rest = [...model.rows()];
  for (const one of inTime) {
    const index = rest.indexOf(one);
    expect(index === -1 ? one : undefined).toBeUndefined();
    rest.splice(index, 1);
  }
  advanceTime(1);
  await pull({ again: [base, null] }, { ...unread, since: seconds(base) });
  const shown = every.filter(({ at }) => at >= base && at < now - drawn.lag);
  const noteName = style.names['note'] ?? 'note';
  expect(await world.table(account)).toEqual(
    shown
      .filter((one) => !isBad(one))
      .map((one) => storedRow(one, noteName))
      .toSorted(),
  );

  // And again: nothing changes.
  const millis = world.clock.now();
  advanceTime(0);
  const second = await pull({ again: [base, null], windowSeconds: 2 * day }, unread);
  expect(second).toMatchObject({ restated: 0, rows: shown.filter((one) => !isBad(one)).length });
  expect(await pull({}, unread)).toMatchObject({ windows: 0, revisited: 0, restated: 0 });
  const whole = interval(seconds(0), seconds(4_000_000_000));
  expect((await warehouse.restatements.since(account, unixMillis(millis), whole)).quarters).toEqual([]);
};

it('the warehouse contains, after every step, the multiset of rows that the gateway returned when each second was last pulled', async () => {
  await using folder = await testFolder();
  await using world = await openWorld(folder);
  using statements = strikeStatements();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (drawn) => {
      runs += 1;
      await play(world, folder, statements, `run-${runs}`, drawn);
    }),
    { numRuns: few(1, chaosFactor) },
  );
});
