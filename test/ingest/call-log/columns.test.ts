import { expect, it } from 'vitest';
import { fault, interval } from '../../../src/core/index.ts';
import { pullLogs, type LogQuery } from '../../../src/ingest/index.ts';
import { openJobFixture } from '../../support/job-fixture.ts';
import { logSource, seconds, type SourceRow } from './log-source.ts';
import { base, pullOf, openNew } from '../support.ts';

const whole = interval(seconds(0), seconds(4_000_000_000));
const row: SourceRow = { at: base, model: 'm', token: 'k', prompt: 1, quota: '0.5', kind: 'topup' };

/** Names that the gateway shows unasked, and refuses to be asked for. */
const refusing = (names: readonly string[], code: 'gateway-refused' | 'gateway-http-error') => {
  const source = logSource([row]);
  const fetchLogs = async (query: LogQuery) => {
    if (query.columns.some((name) => names.includes(name))) throw fault(code, 'unknown column');
    return source.fetchLogs(query);
  };
  return { ...source, fetchLogs };
};

it.each([
  ['one that is only shown', ['note']],
  ['those of the contract that it does not show', ['completion_tokens', 'note']],
  ['every one', ['created_at']],
])('a gateway that refuses requested columns is asked for fewer columns: %s', async (_, names) => {
  const { folder, warehouse } = await openNew();
  const source = refusing(names, 'gateway-refused');
  expect(await pullLogs(pullOf(folder, warehouse, source))).toMatchObject({ rows: 1, quota: '0.5' });
});

it('a gateway that refuses unknown column names is asked without the detailed token columns (G6.4)', async () => {
  const { folder, warehouse } = await openNew();
  const source = refusing(['cache_write_tokens', 'image_tokens'], 'gateway-refused');
  const { columns } = await pullLogs(pullOf(folder, warehouse, source));
  expect(columns).not.toContain('cache_write_tokens');
});

it('a gateway is asked for the detailed token columns, which some gateways export only on request (G6.4)', async () => {
  await using fixture = await openJobFixture({ variants: { detailed_columns: 'on-request' } });
  const { figures } = await fixture.run('pull-logs', { since: '2026-11-10' });
  expect(String(figures['columns']).split(',')).toEqual(
    expect.arrayContaining([
      'cache_write_tokens',
      'audio_input_tokens',
      'audio_output_tokens',
      'image_tokens',
    ]),
  );
});

it('a refusal for another reason, or of a configured column, is reported', async () => {
  const { folder, warehouse } = await openNew();
  const broken = pullOf(folder, warehouse, refusing(['note'], 'gateway-http-error'));
  await expect(pullLogs(broken)).rejects.toMatchObject({ code: 'gateway-http-error' });
  const named = pullOf(folder, warehouse, refusing(['note'], 'gateway-refused'), { columns: ['note'] });
  await expect(pullLogs(named)).rejects.toMatchObject({ code: 'gateway-refused' });
});

it('configured columns are requested together with the row kind, without which a top-up would count as spend', async () => {
  const { folder, warehouse } = await openNew();
  const source = logSource([row]);
  const { columns } = await pullLogs(pullOf(folder, warehouse, source, { columns: ['model_name'] }));
  expect(columns).toEqual(['model_name', 'created_at', 'quota', 'type']);
  expect(await warehouse.spend('main', whole)).toMatchObject({ net: '0', calls: 0 });
});
