import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, open, seconds, withBox, type Box, type Reply } from './support.ts';

let box: Box;
beforeAll(async () => {
  box = await open({ callsPerDay: 60 });
});
afterAll(() => box.sandbox.stop());

const DAY = 86_400;
const now = seconds(NOW);
const midnight = Date.UTC(2026, 10, 21);

/** Each endpoint with parameters of its own, as a client sends them. */
const endpoints = {
  'G5.1': ['/api/log/self/stat', { start_timestamp: now - 9 * DAY, end_timestamp: now - DAY }],
  'G6.1': [
    '/api/log/self/stream-export',
    {
      start_timestamp: now - 9 * DAY,
      end_timestamp: now - DAY,
      columns: 'created_at,quota,status,token_name',
      currency: 'USD',
    },
  ],
  'G7.1': [
    '/api/data/self/pivot/stream-export',
    {
      start_timestamp: midnight - 9 * DAY * 1000,
      end_timestamp: midnight - DAY * 1000,
      group_by: 'model',
      metric: 'spend',
      granularity: 'day',
      top_n: 100,
    },
  ],
  'G8.3': ['/api/token/', { p: 1, page_size: 5 }],
} as const;

const nameOf = (id: string): string => id.split('.').at(-1) ?? '';

const ask = (id: string, value?: string): Promise<Reply> => {
  const [path, usual] = endpoints[id.split('.').slice(0, 2).join('.') as keyof typeof endpoints];
  const query = new URLSearchParams(
    Object.entries(usual).map(([name, given]): [string, string] => [name, String(given)]),
  );
  if (value !== undefined) query.set(nameOf(id), value);
  return box.call(`${path}?${query.toString()}`);
};

describe('a query parameter', () => {
  test.each([
    ['G5.1.start_timestamp', String(now - 3 * DAY)],
    ['G5.1.end_timestamp', String(now - 3 * DAY)],
    ['G5.1.model_name', 'o4-mini'],
    ['G5.1.token_name', 'prod-gateway'],
    ['G5.1.vendor_id', '2'],
    ['G6.1.start_timestamp', String(now - 3 * DAY)],
    ['G6.1.end_timestamp', String(now - 3 * DAY)],
    ['G6.1.model_name', 'o4-mini'],
    ['G6.1.vendor_id', '2'],
    ['G6.1.status', 'error'],
    ['G6.1.columns', 'created_at,quota'],
    ['G6.1.currency', 'CNY'],
    ['G7.1.start_timestamp', String(midnight - 3 * DAY * 1000)],
    ['G7.1.end_timestamp', String(midnight - 3 * DAY * 1000)],
    ['G7.1.group_by', 'token'],
    ['G7.1.metric', 'count'],
    ['G7.1.granularity', 'hour'],
    ['G7.1.top_n', '2'],
    ['G7.1.model_name', 'o4-mini'],
    ['G8.3.p', '2'],
    ['G8.3.page_size', '7'],
  ])('changes the answer, which is the same for the same value: %s=%s', async (id, value) => {
    const [usual, again, changed] = [await ask(id), await ask(id), await ask(id, value)];
    expect(again.text).toBe(usual.text);
    expect(changed.status).toBe(200);
    expect(changed.text).not.toBe(usual.text);
    expect(changed.text.startsWith('{')).toBe(usual.text.startsWith('{'));
  });

  test.each([
    ['G5.1.start_timestamp', 'yesterday'],
    ['G5.1.end_timestamp', '1.5'],
    ['G5.1.vendor_id', 'openai'],
    ['G6.1.start_timestamp', 'yesterday'],
    ['G6.1.end_timestamp', '1.5'],
    ['G6.1.vendor_id', 'openai'],
    ['G6.1.currency', 'EUR'],
    ['G7.1.start_timestamp', 'x'],
    ['G7.1.end_timestamp', 'x'],
    ['G7.1.group_by', 'colour'],
    ['G7.1.metric', 'toString'],
    ['G7.1.granularity', 'month'],
    ['G7.1.top_n', 'many'],
  ])('is refused with another type or value than the contract has: %s=%s', async (id, value) => {
    expect((await ask(id, value)).json).toEqual({ success: false, message: expect.any(String), data: null });
  });

  test.each([
    ['G7.1.granularity', 'day'],
    ['G7.1.top_n', '20'],
  ])('that is omitted has its documented default: %s=%s', async (id, value) => {
    const window = `start_timestamp=${midnight - 9 * DAY * 1000}&end_timestamp=${NOW + 3_600_000}`;
    const path = `/api/data/self/pivot/stream-export?group_by=token&metric=count&${window}`;
    await withBox({ callsPerDay: 60 }, async ({ call, createKey, embed }) => {
      for (let made = 0; made < 25; made += 1) await embed((await createKey({ name: `k${made}` })).key);
      const omitted = await call(path);
      expect(omitted.text).toBe((await call(`${path}&${nameOf(id)}=${value}`)).text);
      for (const other of ['granularity=hour', 'granularity=week', 'top_n=19', 'top_n=21'])
        expect(omitted.text).not.toBe((await call(`${path}&${other}`)).text);
    });
  });
});

describe('a body field of a key', () => {
  const usual = { name: 'usual', remain_quota: 1, unlimited_quota: false, expired_time: -1, group: '' };
  const shown = async (id: number): Promise<Record<string, unknown>> =>
    (await box.call(`/api/token/${id}`)).json['data'] as Record<string, unknown>;

  const written: readonly (readonly [id: string, value: unknown, read: unknown])[] = [
    ['G8.7.name', 'another "name"', 'another "name"'],
    ['G8.7.remain_quota', 2.5, '2.5000'],
    ['G8.7.unlimited_quota', true, true],
    ['G8.7.expired_time', now + 60, now + 60],
    ['G8.7.expired_time', -1, -1],
    ['G8.7.group', 'vip', 'vip'],
    ['G8.7.group', '', 'default'],
    ['G8.12.name', 'another "name"', 'another "name"'],
    ['G8.12.remain_quota', 2.5, '2.5000'],
    ['G8.12.unlimited_quota', true, true],
    ['G8.12.expired_time', now + 60, now + 60],
    ['G8.12.expired_time', -1, -1],
    ['G8.12.group', 'vip', 'vip'],
    ['G8.12.group', '', 'default'],
  ];

  /** A key that is created with the field, or created and updated with it. */
  const write = async (field: string, value: unknown): Promise<{ id: number; reply: Reply }> => {
    const body = { ...usual, [nameOf(field)]: value };
    if (field.startsWith('G8.7')) return box.createKey(body);
    const { id } = await box.createKey({ expired_time: now + 9, group: 'first' });
    return { id, reply: await box.call('/api/token/', { method: 'PUT', body: { ...body, id } }) };
  };

  test.each(written)('is what a read shows afterwards: %s=%j', async (field, value, read) => {
    const { id, reply } = await write(field, value);
    expect(reply.json['success']).toBe(true);
    expect((await shown(id))[nameOf(field)]).toBe(read);
  });

  test.each([
    ['G8.7.name', 7],
    ['G8.7.name', ''],
    ['G8.7.remain_quota', '1'],
    ['G8.7.unlimited_quota', 'yes'],
    ['G8.7.expired_time', 1.5],
    ['G8.7.group', 1],
    ['G8.12.id', 'x'],
    ['G8.12.id', undefined],
    ['G8.12.name', 7],
    ['G8.12.remain_quota', '1'],
    ['G8.12.unlimited_quota', 'yes'],
    ['G8.12.expired_time', 1.5],
    ['G8.12.group', 1],
  ])('of a wrong type is refused and changes nothing: %s=%j', async (field, value) => {
    const { id } = await box.createKey(usual);
    const before = (await box.keys({ page_size: 100 })).json['data'];
    const isUpdate = field.startsWith('G8.12');
    const body = { ...usual, ...(isUpdate ? { id } : {}), name: 'new', [nameOf(field)]: value };
    const { json } = await box.call('/api/token/', { method: isUpdate ? 'PUT' : 'POST', body });
    expect(json).toEqual({ success: false, message: expect.any(String), data: null });
    expect((await box.keys({ page_size: 100 })).json['data']).toEqual(before);
  });
});

describe('a path parameter', () => {
  test.each([
    ['G8.6.id', 'GET'],
    ['G8.14.id', 'DELETE'],
  ])('selects the one key with that id: %s', async (_id, method) => {
    const [one, other] = [await box.createKey({ name: 'one' }), await box.createKey({ name: 'other' })];
    const { json } = await box.call(`/api/token/${one.id}`, { method });
    expect(json['success']).toBe(true);
    if (method === 'GET') expect(json['data']).toMatchObject({ id: one.id, name: 'one' });
    else expect((await box.call(`/api/token/${one.id}`)).status).toBe(404);
    expect((await box.call(`/api/token/${other.id}`)).json['data']).toMatchObject({ name: 'other' });
  });
});
