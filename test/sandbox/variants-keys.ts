import { expect } from 'vitest';
import { expectSeen } from './observe.ts';
import { NOW, seconds, type Box } from './support.ts';

type Shown = {
  id: number;
  name: string;
  status: number;
  remain_quota: string;
  expired_time: number;
  group: string;
  unlimited_quota: boolean;
  created_time: number;
};
type Page = { items: Shown[]; page: number; page_size: number; total: number };

const page = async (box: Box, parameters: Record<string, number> = {}): Promise<Page> =>
  (await box.keys(parameters)).json['data'] as Page;
const read = async (box: Box, id: number): Promise<Shown> =>
  (await box.call(`/api/token/${id}`)).json['data'] as Shown;
const update = (box: Box, body: unknown) => box.call('/api/token/', { method: 'PUT', body });
const makeMany = async (box: Box, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) await box.createKey({ name: `many ${made}` });
};
const limited = { unlimited_quota: false, remain_quota: 5 };
/** A call that costs a dollar exactly: 10,000 grains of embeddings are 5,000 tokens. */
const spend = async (box: Box, key: string): Promise<void> => {
  expect((await box.embed(key, Array<string>(10).fill('x'.repeat(20_000)))).status).toBe(200);
};

/** One check for each variant, by its id in docs/gateway.md, of keys, errors and limits. */
export const keyVariants: Readonly<Record<string, () => Promise<void>>> = {
  'G8.4.page_size_default': () =>
    expectSeen(
      'page_size_default',
      async (box) => {
        await makeMany(box, 10);
        const { items, page_size } = await page(box);
        return [items.length, page_size];
      },
      { '10': [10, 10], '20': [20, 20] },
    ),

  'G8.4.page_size_cap': () =>
    expectSeen(
      'page_size_cap',
      async (box) => {
        await makeMany(box, 95);
        const { items, page_size } = await page(box, { page_size: 500 });
        return [items.length, page_size];
      },
      { '100': [100, 100], none: [108, 500] },
    ),

  'G8.4.page_size_echo': () =>
    expectSeen('page_size_echo', async (box) => (await page(box, { page_size: 500 })).page_size, {
      effective: 100,
      asked: 500,
    }),

  'G8.5.page_order': () =>
    expectSeen(
      'page_order',
      async (box) => {
        const first = await page(box, { p: 1, page_size: 5 });
        await box.createKey();
        const second = await page(box, { p: 2, page_size: 5 });
        const repeated = second.items.filter(({ id }) => first.items.some((item) => item.id === id)).length;
        return { first: first.items[0]?.id, repeated };
      },
      { 'newest-first': { first: 113, repeated: 1 }, 'oldest-first': { first: 101, repeated: 0 } },
    ),

  'G8.5.page_total': () =>
    expectSeen('page_total', async (box) => (await page(box)).total, { exact: 13, zero: 0 }),

  'G8.12.update': () =>
    expectSeen(
      'update',
      async (box) => {
        const { id } = await box.createKey({ ...limited, group: 'vip' });
        await update(box, { id, name: 'partly' });
        const { name, remain_quota, expired_time, group, status } = await read(box, id);
        return { name, remain_quota, expired_time, group, status };
      },
      {
        replace: { name: 'partly', remain_quota: '0.0000', expired_time: 0, group: 'default', status: 3 },
        keep: { name: 'partly', remain_quota: '5.0000', expired_time: -1, group: 'vip', status: 1 },
      },
    ),

  'G8.13.update_quota': () =>
    expectSeen(
      'update_quota',
      async (box) => {
        const { id, key } = await box.createKey(limited);
        const before = await read(box, id);
        await spend(box, key);
        await update(box, { ...before, remain_quota: Number(before.remain_quota) });
        return (await read(box, id)).remain_quota;
      },
      { overwrite: '5.0000', 'keep-spend': '4.9990' },
    ),

  'G8.10.quota_request_unit': () =>
    expectSeen(
      'quota_request_unit',
      async (box) => {
        const { id } = await box.createKey({ unlimited_quota: false, remain_quota: 1_250_000 });
        const fraction = await box.createKey({ unlimited_quota: false, remain_quota: 2.5 });
        return [(await read(box, id)).remain_quota, fraction.reply.json['success']];
      },
      { currency: ['1250000.0000', true], units: ['2.5000', false] },
    ),

  'G8.2.key_status': () =>
    expectSeen(
      'key_status',
      async (box) => {
        const expiring = await box.createKey({ expired_time: seconds(NOW) + 60 });
        const exhausted = await box.createKey({ unlimited_quota: false, remain_quota: 0.0001 });
        await spend(box, exhausted.key);
        const statuses: number[][] = [];
        for (const later of [0, 60, 659, 660]) {
          box.clock.now = NOW + later * 1000;
          statuses.push([(await read(box, expiring.id)).status, (await read(box, exhausted.id)).status]);
        }
        return statuses;
      },
      {
        written: [
          [1, 4],
          [3, 4],
          [3, 4],
          [3, 4],
        ],
        late: [
          [1, 1],
          [1, 1],
          [1, 4],
          [3, 4],
        ],
        never: [
          [1, 1],
          [1, 1],
          [1, 1],
          [1, 1],
        ],
      },
    ),

  'G8.9.name_limit': () =>
    expectSeen(
      'name_limit',
      async (box) => {
        const tries = ['é'.repeat(50), 'é'.repeat(25), '数'.repeat(17)].map((name) =>
          box.createKey({ name }),
        );
        return (await Promise.all(tries)).map(({ reply }) => reply.json['success']);
      },
      { characters: [true, true, true], bytes: [false, true, false] },
    ),

  'G8.11.past_expiry': () =>
    expectSeen(
      'past_expiry',
      async (box) => {
        const { reply } = await box.createKey({ expired_time: seconds(NOW) - 1 });
        return reply.json['success'];
      },
      { accepted: true, refused: false },
    ),

  'G8.11.zero_expiry': () =>
    expectSeen(
      'zero_expiry',
      async (box) => {
        const { id } = await box.createKey({ expired_time: 0 });
        return (await read(box, id)).expired_time;
      },
      { kept: 0, never: -1 },
    ),

  'G8.7.key_cap': () =>
    expectSeen(
      'key_cap',
      async (box) => {
        await makeMany(box, 1_000 - 13);
        const { reply } = await box.createKey();
        return reply.json['success'];
      },
      { '1000': false, none: true },
    ),

  'G8.8.key_prefix': () =>
    expectSeen(
      'key_prefix',
      async (box) => {
        const { key } = await box.createKey();
        const bare = key.replace(/^sk-/u, '');
        const statuses = [(await box.embed(bare)).status, (await box.embed(`sk-${bare}`)).status];
        return [key.startsWith('sk-'), ...statuses];
      },
      { 'sk-': [true, 200, 200], none: [false, 200, 200], 'none-required': [false, 401, 200] },
    ),

  'G16.4.gateway_clock': () =>
    expectSeen(
      'gateway_clock',
      async (box) => {
        const { reply } = await box.createKey();
        const { items } = await page(box);
        const [newest] = items.toSorted((one, other) => other.id - one.id);
        const created = (await read(box, newest?.id ?? 0)).created_time;
        const date = Date.parse(reply.headers.get('date') ?? '') / 1000;
        return [created - seconds(NOW), date - seconds(NOW)];
      },
      {
        right: [0, 0],
        behind: [-3600, -3600],
        ahead: [3600, 3600],
        'date-behind': [0, -10_800],
        'date-ahead': [0, 10_800],
      },
    ),

  'G8.15.missing_id': () =>
    expectSeen(
      'missing_id',
      async (box) => {
        const replies = [
          await box.call('/api/token/9999'),
          await box.call('/api/token/9999', { method: 'DELETE' }),
          await update(box, { id: 9999, name: 'x' }),
        ];
        return replies.map(({ status, json, text }) => [status, json['success'], text.includes('SELECT')]);
      },
      {
        '404': [404, 404, 404].map((status) => [status, false, false]),
        'database-text': [200, 200, 200].map((status) => [status, false, true]),
      },
    ),

  'G8.16.key_cache': () =>
    expectSeen(
      'key_cache',
      async (box) => {
        const [deleted, expired, disabled] = [
          await box.createKey(),
          await box.createKey({ expired_time: seconds(NOW) + 10 }),
          await box.createKey(),
        ];
        box.clock.now += 10_000;
        await box.call(`/api/token/${deleted.id}`, { method: 'DELETE' });
        box.sandbox.traffic.disableKey(disabled.id);
        const works: string[] = [];
        for (const later of [0, 59, 60, 599, 600]) {
          box.clock.now = NOW + 10_000 + later * 1000;
          const replies = await Promise.all([deleted, expired, disabled].map(({ key }) => box.embed(key)));
          works.push(replies.map(({ status }) => (status === 200 ? '+' : '-')).join(''));
        }
        return works.join(' ');
      },
      {
        '0': '--- --- --- --- ---',
        '60': '+++ +++ --- --- ---',
        '600': '+++ +++ +++ +++ ---',
      },
    ),

  'G3.2.business_errors': () =>
    expectSeen(
      'business_errors',
      async (box) => {
        const { reply } = await box.createKey({ name: '' });
        const log = await box.call('/api/log/self/stream-export?currency=EUR');
        return [reply.status, reply.json['success'], log.status, log.json['success']];
      },
      { 'http-200': [200, false, 200, false], 'http-400': [400, false, 400, false] },
    ),

  'G3.2.message_language': () =>
    expectSeen(
      'message_language',
      async (box) => {
        const replies = [
          (await box.createKey({ name: '' })).reply,
          await box.call('/nowhere'),
          await box.call('/api/user/self', { key: '' }),
        ];
        return replies.map(({ json }) => /\p{Script=Han}/u.test(String(json['message'])));
      },
      { en: [false, false, false], zh: [true, true, true] },
    ),

  'G2.7.authentication_errors': () =>
    expectSeen(
      'authentication_errors',
      async (box) => {
        const replies = [
          await box.call('/api/user/self', { key: 'sk-admin-x' }),
          await box.call('/api/user/self', { key: 'sk-admin-few' }),
        ];
        return replies.map(({ status, json }) => [status, json['success']]);
      },
      {
        '401': [
          [401, false],
          [403, false],
        ],
        '403': [
          [403, false],
          [403, false],
        ],
        'http-200': [
          [200, false],
          [200, false],
        ],
      },
      { adminKeys: [{ key: 'sk-admin-few', scopes: ['keys:read'] }] },
    ),

  'G2.7.authentication_code': () =>
    expectSeen(
      'authentication_code',
      async (box) => (await box.call('/api/user/self', { key: 'sk-admin-x' })).json['code'],
      {
        absent: undefined,
        present: 'invalid_api_key',
      },
    ),

  'G3.3.rate_limit': () =>
    expectSeen(
      'rate_limit',
      async (box) => {
        const reads: number[] = [];
        for (let made = 0; made < 181; made += 1) reads.push((await box.call('/api/token/101')).status);
        const full = await box.call('/api/user/self');
        box.clock.now += 180_001;
        const writes: number[] = [];
        for (let made = 0; made < 21; made += 1) writes.push((await box.createKey()).reply.status);
        box.clock.now += 1_200_001;
        return [
          reads.filter((status) => status === 200).length,
          [full.status, full.headers.get('retry-after'), full.text === ''],
          writes.filter((status) => status === 200).length,
          (await box.createKey()).reply.status,
        ];
      },
      { off: [181, [200, null, false], 21, 200], on: [180, [429, null, true], 20, 200] },
    ),

  'G9.2.model_key_errors': () =>
    expectSeen(
      'model_key_errors',
      async (box) => {
        const { key, id } = await box.createKey();
        box.sandbox.traffic.disableKey(id);
        const replies = [await box.embed('sk-wrong'), await box.ask(key)];
        return replies.map(({ status }) => status);
      },
      { '401': [401, 401], '403': [403, 403] },
    ),
};
