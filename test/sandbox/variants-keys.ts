import { expect } from 'vitest';
import { sees, type Check } from './observe.ts';
import { NOW, seconds, type Box } from './support.ts';

const makeMany = async (box: Box, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) await box.createKey({ name: `many ${made}` });
};
const limited = { unlimited_quota: false, remain_quota: 5 };
/** A call that costs a dollar exactly: 10,000 grains of embeddings are 5,000 tokens. */
const spend = async (box: Box, key: string): Promise<void> => {
  expect((await box.embed(key, Array<string>(10).fill('x'.repeat(20_000)))).status).toBe(200);
};

/** One check for each variant, by its id in docs/gateway.md, of keys, errors and limits. */
export const keyVariants: Readonly<Record<string, Check>> = {
  'G8.4.page_size_default': sees(
    async (box) => {
      await makeMany(box, 10);
      const { items, page_size } = await box.page();
      return [items.length, page_size];
    },
    { '10': [10, 10], '20': [20, 20] },
  ),
  'G8.4.page_size_cap': sees(
    async (box) => {
      await makeMany(box, 95);
      const { items, page_size } = await box.page({ page_size: 500 });
      return [items.length, page_size];
    },
    { '100': [100, 100], none: [108, 500] },
  ),
  'G8.4.page_size_echo': sees(async (box) => (await box.page({ page_size: 500 })).page_size, {
    effective: 100,
    asked: 500,
  }),
  'G8.5.page_order': sees(
    async (box) => {
      const first = await box.page({ p: 1, page_size: 5 });
      await box.createKey();
      const second = await box.page({ p: 2, page_size: 5 });
      const repeated = second.items.filter(({ id }) => first.items.some((item) => item.id === id)).length;
      return { first: first.items[0]?.id, repeated };
    },
    { 'newest-first': { first: 113, repeated: 1 }, 'oldest-first': { first: 101, repeated: 0 } },
  ),
  'G8.5.page_total': sees(async (box) => (await box.page()).total, { exact: 13, zero: 0 }),
  'G8.12.update': sees(
    async (box) => {
      const { id } = await box.createKey({ ...limited, group: 'vip' });
      await box.updateKey({ id, name: 'partly' });
      const { name, remain_quota, expired_time, group, status } = await box.readKey(id);
      return [name, remain_quota, expired_time, group, status];
    },
    { replace: ['partly', '0.0000', 0, 'default', 3], keep: ['partly', '5.0000', -1, 'vip', 1] },
  ),
  'G8.13.update_quota': sees(
    async (box) => {
      const { id, key } = await box.createKey(limited);
      const before = await box.readKey(id);
      await spend(box, key);
      await box.updateKey({ ...before, remain_quota: Number(before.remain_quota) });
      return (await box.readKey(id)).remain_quota;
    },
    { overwrite: '5.0000', 'keep-spend': '4.9990' },
  ),
  'G8.10.quota_request_unit': sees(
    async (box) => {
      const { id } = await box.createKey({ ...limited, remain_quota: 1_250_000 });
      const fraction = await box.createKey({ ...limited, remain_quota: 2.5 });
      return [(await box.readKey(id)).remain_quota, fraction.reply.json['success']];
    },
    { currency: ['1250000.0000', true], units: ['2.5000', false] },
  ),
  'G8.2.key_status': sees(
    async (box) => {
      const expiring = await box.createKey({ expired_time: seconds(NOW) + 60 });
      const exhausted = await box.createKey({ ...limited, remain_quota: 0.0001 });
      await spend(box, exhausted.key);
      const statuses: string[] = [];
      for (const later of [0, 60, 659, 660]) {
        box.clock.now = NOW + later * 1000;
        statuses.push(
          `${(await box.readKey(expiring.id)).status}${(await box.readKey(exhausted.id)).status}`,
        );
      }
      return statuses.join(' ');
    },
    { written: '14 34 34 34', late: '11 11 14 34', never: '11 11 11 11' },
  ),
  'G8.9.name_limit': sees(
    async (box) => {
      const names = ['é'.repeat(50), 'é'.repeat(25), '数'.repeat(17)];
      const made = await Promise.all(names.map((name) => box.createKey({ name })));
      return made.map(({ reply }) => reply.json['success']);
    },
    { characters: [true, true, true], bytes: [false, true, false] },
  ),
  'G8.11.past_expiry': sees(
    async (box) => (await box.createKey({ expired_time: seconds(NOW) - 1 })).reply.json['success'],
    { accepted: true, refused: false },
  ),
  'G8.11.zero_expiry': sees(
    async (box) => (await box.readKey((await box.createKey({ expired_time: 0 })).id)).expired_time,
    { kept: 0, never: -1 },
  ),
  'G8.7.key_cap': sees(
    async (box) => {
      box.sandbox.traffic.addKeys(999 - 13, 'many');
      return [(await box.createKey()).reply.json['success'], (await box.createKey()).reply.json['success']];
    },
    { '1000': [true, false], none: [true, true] },
  ),
  'G8.8.key_prefix': sees(
    async (box) => {
      const { key } = await box.createKey();
      const bare = key.replace(/^sk-/u, '');
      const statuses = [(await box.embed(bare)).status, (await box.embed(`sk-${bare}`)).status];
      return [key.startsWith('sk-'), ...statuses];
    },
    { 'sk-': [true, 200, 200], none: [false, 200, 200], 'none-required': [false, 401, 200] },
  ),
  'G16.4.gateway_clock': sees(
    async (box) => {
      const { id, reply } = await box.createKey();
      const date = Date.parse(reply.headers.get('date') ?? '') / 1000;
      return [(await box.readKey(id)).created_time - seconds(NOW), date - seconds(NOW)];
    },
    {
      right: [0, 0],
      behind: [-3600, -3600],
      ahead: [3600, 3600],
      'date-behind': [0, -10_800],
      'date-ahead': [0, 10_800],
    },
  ),
  'G8.15.missing_id': sees(
    async (box) => {
      const replies = [
        await box.call('/api/token/9999'),
        await box.deleteKey(9999),
        await box.updateKey({ id: 9999, name: 'x' }),
      ];
      const shown = replies.map(({ status, json, text }) => [
        status,
        json['success'],
        text.includes('SELECT'),
      ]);
      return new Set(shown.map((one) => one.join(' ')));
    },
    { '404': new Set(['404 false false']), 'database-text': new Set(['200 false true']) },
  ),
  'G8.16.key_cache': sees(
    async (box) => {
      const [deleted, expired, disabled] = [
        await box.createKey(),
        await box.createKey({ expired_time: seconds(NOW) + 10 }),
        await box.createKey(),
      ];
      box.clock.now += 10_000;
      await box.deleteKey(deleted.id);
      box.sandbox.traffic.disableKey(disabled.id);
      const works: string[] = [];
      for (const later of [0, 59, 60, 599, 600]) {
        box.clock.now = NOW + 10_000 + later * 1000;
        const replies = await Promise.all([deleted, expired, disabled].map(({ key }) => box.embed(key)));
        works.push(replies.map(({ status }) => (status === 200 ? '+' : '-')).join(''));
      }
      return works.join(' ');
    },
    { '0': '--- --- --- --- ---', '60': '+++ +++ --- --- ---', '600': '+++ +++ +++ +++ ---' },
  ),
  'G3.2.business_errors': sees(
    async (box) => {
      const { reply } = await box.createKey({ name: '' });
      const log = await box.call('/api/log/self/stream-export?currency=EUR');
      return [reply.status, reply.json['success'], log.status, log.json['success']];
    },
    { 'http-200': [200, false, 200, false], 'http-400': [400, false, 400, false] },
  ),
  'G3.2.message_language': sees(
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
  'G2.7.authentication_errors': sees(
    async (box) => {
      const keys = ['sk-admin-x', 'sk-admin-few'];
      const replies = await Promise.all(keys.map((key) => box.call('/api/user/self', { key })));
      return replies.map(({ status, json }) => [status, json['success']]);
    },
    {
      '401': [401, 403].map((status) => [status, false]),
      '403': [403, 403].map((status) => [status, false]),
      'http-200': [200, 200].map((status) => [status, false]),
    },
    { adminKeys: [{ key: 'sk-admin-few', scopes: ['keys:read'] }] },
  ),
  'G2.7.authentication_code': sees(
    async (box) => (await box.call('/api/user/self', { key: 'sk-admin-x' })).json['code'],
    { absent: undefined, present: 'invalid_api_key' },
  ),
  'G3.3.rate_limit': sees(
    async (box) => {
      const answered = async (count: number, ask: () => Promise<{ status: number }>): Promise<number> => {
        let good = 0;
        for (let made = 0; made < count; made += 1) good += (await ask()).status === 200 ? 1 : 0;
        return good;
      };
      const write = async () => (await box.createKey()).reply;
      const reads = await answered(181, () => box.call('/api/token/101'));
      const full = await box.profile();
      box.clock.now += 180_001;
      const writes = await answered(21, write);
      box.clock.now += 1_200_001;
      const refused = [full.status, full.headers.get('retry-after'), full.text === ''];
      return [reads, refused, writes, (await write()).status];
    },
    { off: [181, [200, null, false], 21, 200], on: [180, [429, null, true], 20, 200] },
  ),
  'G9.2.model_key_errors': sees(
    async (box) => {
      const { key, id } = await box.createKey();
      box.sandbox.traffic.disableKey(id);
      return [(await box.embed('sk-wrong')).status, (await box.ask(key)).status];
    },
    { '401': [401, 401], '403': [403, 403] },
  ),
};
