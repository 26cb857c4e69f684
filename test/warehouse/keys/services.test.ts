import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMoney,
  interval,
  localDays,
  money,
  unixMillis,
  zero,
  type Money,
} from '../../../src/core/index.ts';
import type { CubeRequest, LineageRow, Warehouse } from '../../../src/warehouse/index.ts';
import { runs } from '../../support/storm.ts';
import { at, batchOfCalls, now, openAt, type Call } from '../archive/archive-support.ts';
import { key, snapshotOf } from '../snapshots/snapshots-support.ts';
import { testFolder, openNew } from '../support.ts';

const may = interval(at('2024-05-01'), at('2024-06-01'));

const request: CubeRequest = {
  account: 'main',
  periods: [{ name: 'current', days: localDays('2024-05-01', '2024-05-31', 'UTC') }],
};

const call = (name: string, quota: string, change: Partial<Call> = {}): Call => ({
  at: at('2024-05-10'),
  model: 'model-a',
  key: name,
  kind: 'consumption',
  prompt: 1,
  quota,
  note: '',
  ...change,
});

const line = (
  keyId: number,
  service: string,
  generation: number,
  change: Partial<LineageRow> = {},
): LineageRow => ({
  account: 'main',
  keyId,
  service,
  generation,
  name: `${service}.g${generation}`,
  born: unixMillis(Date.UTC(2024, 4, generation)),
  ...change,
});

const rowsOf = async (warehouse: Warehouse, sql: string, change: Partial<CubeRequest> = {}) =>
  warehouse.readCube({ ...request, queries: [sql], ...change }, async (query) => (await query(sql)).rows);

const byService = 'SELECT service, sum(spend) FROM cube GROUP BY ALL ORDER BY ALL';

describe('services', () => {
  it('the spend of a key follows its rotations, and a key in no lineage or several stays separate', async () => {
    const { folder, warehouse } = await openNew(openAt);
    await warehouse.keys.append(
      [],
      [
        line(1, 'billing', 1, { name: 'billing' }),
        line(2, 'billing', 2),
        line(3, 'billing', 3),
        line(4, 'search', 1, { name: 'shared' }),
        line(5, 'mail', 1, { name: 'shared' }),
        line(6, 'elsewhere', 1, { account: 'other', name: 'ci' }),
      ],
    );
    await warehouse.logs.landWindow(
      await batchOfCalls(folder, may, [
        call('billing', '1'),
        call('billing.g2', '0.5'),
        call('billing.g2', '-0.1', { kind: 'refund' }),
        call('billing.g3', '0.000000000001'),
        call('shared', '8'),
        call('ci', '16'),
        call('', '-32', { kind: 'refund' }),
      ]),
    );
    const sums = [
      ['', '-32'],
      ['billing', '1.400000000001'],
      ['ci', '16'],
      ['shared', '8'],
    ];
    expect(await rowsOf(warehouse, byService)).toEqual(sums);
    expect(await rowsOf(warehouse, byService.replace('cube', 'calls'))).toEqual(sums);
    expect(
      await rowsOf(
        warehouse,
        `SELECT token_name FROM cube WHERE service = 'billing' GROUP BY ALL ORDER BY ALL`,
      ),
    ).toEqual([['billing'], ['billing.g2'], ['billing.g3']]);
  });

  it('teams and filters follow the service, and each call has one cost owner', async () => {
    const { folder, warehouse } = await openNew(openAt);
    await warehouse.keys.append(
      [],
      [line(1, 'billing', 1, { name: 'old key' }), line(2, 'billing', 2), line(3, 'search', 1)],
    );
    await warehouse.logs.landWindow(
      await batchOfCalls(folder, may, [
        call('old key', '1'),
        call('billing.g2', '2'),
        call('search.g1', '4'),
        call('ci', '8'),
      ]),
    );
    const teams = [
      { name: 'exact', keys: ['search.g1'] },
      { name: 'money', keys: ['billing'] },
      { name: 'late', keys: ['billing.*', 'search', 'old*'] },
    ];
    const byTeam = 'SELECT team, sum(spend) FROM cube GROUP BY ALL ORDER BY ALL';
    expect(await rowsOf(warehouse, byTeam, { teams })).toEqual([
      ['exact', '4'],
      ['money', '3'],
      [null, '8'],
    ]);
    const total = 'SELECT sum(spend) FROM cube';
    const left = async (only: CubeRequest['only']) =>
      (await rowsOf(warehouse, total, { teams, ...(only === undefined ? {} : { only }) }))[0]?.[0];
    expect(await left({ keys: ['billing'] })).toBe('3');
    expect(await left({ keys: ['billing.*'] })).toBe('2');
    expect(await left({ teams: ['money'] })).toBe('3');
    expect(await left({ teams: ['money'], keys: ['old*'] })).toBe('1');
    expect(await left({ teams: ['late'] })).toBeNull();
    expect(await left({ teams: [null] })).toBe('8');
  });

  it('every sum by service and by team adds up to the whole', async () => {
    await using folder = await testFolder();
    const names = fc.constantFrom('a', 'a.g1', 'a.g2', 'b', 'b.g1', 'c', '');
    const services = fc.constantFrom('a', 'b', 'c', 'a.g1');
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 13n }).map((units) => money(`${units}e-12`));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, amounts, fc.boolean()), { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(names, services), { maxLength: 8 }),
        fc.array(fc.tuple(names, fc.boolean()), { maxLength: 2 }),
        async (calls, lines, patterns) => {
          await using warehouse = await openAt(folder, 'test', now, { path: ':memory:' });
          await warehouse.keys.append(
            [],
            lines.map(([name, service], id) => line(id, service, id + 1, { name })),
          );
          await warehouse.logs.landWindow(
            await batchOfCalls(
              folder,
              may,
              calls.map(([name, amount, refund]) =>
                call(name, refund ? `-${amount}` : amount, refund ? { kind: 'refund' } : {}),
              ),
            ),
          );
          const teams = patterns.map(([pattern, wide], at_) => ({
            name: `team ${at_}`,
            keys: [wide ? `${pattern}*` : pattern],
          }));
          const spent = (await warehouse.spend('main', may)).net;
          const sumOf = async (sql: string, only?: CubeRequest['only']): Promise<Money> => {
            const rows = await rowsOf(warehouse, sql, { teams, ...(only === undefined ? {} : { only }) });
            return rows.reduce((sum, row) => addMoney(sum, money(String(row.at(-1) ?? '0'))), zero);
          };
          expect(await sumOf(byService)).toBe(spent);
          expect(await sumOf('SELECT team, sum(spend) FROM cube GROUP BY ALL')).toBe(spent);
          // What each team is shown, and what is left to nobody.
          let parts = zero;
          for (const team of [...teams.map(({ name }) => name), null])
            parts = addMoney(parts, await sumOf(byService, { teams: [team] }));
          expect(parts).toBe(spent);
        },
      ),
      { numRuns: runs(2) },
    );
  });
});

describe('the keys of a report', () => {
  const shown = (id: number, name: string) => key(id, { name });

  it('have their position in the generations of their service, by their id', async () => {
    const { folder, warehouse } = await openNew(openAt);
    await warehouse.keys.append(
      [],
      [
        // Made, never delivered, and gone before the next was made.
        line(10, 'billing', 1, { retired: unixMillis(Date.UTC(2024, 4, 1, 1)) }),
        line(11, 'billing', 2),
        line(12, 'billing', 3),
        line(13, 'search', 1, { retired: unixMillis(Date.UTC(2024, 4, 20)) }),
        line(14, 'search', 2),
      ],
    );
    await warehouse.snapshots.land(
      snapshotOf(Date.UTC(2024, 4, 15), [
        shown(11, 'billing.g2'),
        shown(12, 'billing.g3'),
        shown(13, 'search.g1'),
        shown(99, 'billing.g2'),
      ]),
    );
    await warehouse.snapshots.land(
      snapshotOf(Date.UTC(2024, 4, 25), [
        shown(11, 'billing.g2'),
        shown(12, 'billing.g3'),
        shown(14, 'search.g2'),
        shown(99, 'billing.g2'),
        shown(98, 'ci'),
      ]),
    );
    await warehouse.logs.landWindow(
      await batchOfCalls(folder, may, [
        call('billing.g1', '0.25', { at: at('2024-05-01') }),
        call('billing.g2', '1', { at: at('2024-05-02') }),
        call('billing.g3', '2', { at: at('2024-05-12') }),
        call('search.g1', '4', { at: at('2024-05-03') }),
        call('ci', '8', { at: at('2024-05-04') }),
      ]),
    );
    const columns = `key_id, service, generation, rotated, succeeded`;
    expect(
      await rowsOf(
        warehouse,
        `SELECT ${columns}, service_last_call_seconds, service_spend, spend FROM keys ORDER BY key_id`,
      ),
    ).toEqual([
      ['11', 'billing', '2', false, true, `${at('2024-05-12')}`, '3.25', '1'],
      ['12', 'billing', '3', true, false, `${at('2024-05-12')}`, '3.25', '2'],
      ['14', 'search', '2', true, false, `${at('2024-05-03')}`, '4', '0'],
      ['98', 'ci', null, false, false, `${at('2024-05-04')}`, '8', '8'],
      // Has the name of a key of the line, and is none.
      ['99', 'billing', null, false, false, `${at('2024-05-12')}`, '3.25', '1'],
    ]);
    expect(
      await rowsOf(
        warehouse,
        'SELECT key_id, service, generation, rotated FROM key_history WHERE key_id = 13',
      ),
    ).toEqual([['13', 'search', '1', false]]);
    // What another team pays for counts for nothing in what a team is told of its service.
    const teams = [
      { name: 'new', keys: ['billing.g3'] },
      { name: 'old', keys: ['billing'] },
    ];
    const only = async (team: string) =>
      rowsOf(warehouse, 'SELECT key_id, service_spend FROM keys ORDER BY key_id', {
        teams,
        only: { teams: [team] },
      });
    expect(await only('new')).toEqual([['12', '2']]);
    expect(await only('old')).toEqual([
      ['11', '1.25'],
      ['99', '1.25'],
    ]);
  });
});
