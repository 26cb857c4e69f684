import { expect } from 'vitest';
import { observing, type Check } from './observe.ts';
import { NOW, seconds, type Box } from './support.ts';

const makeMany = async (box: Box, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) await box.createKey({ name: `many ${made}` });
};
const limited = { unlimited_quota: false, remain_quota: 5 };
/** A call that costs a dollar exactly: 10,000 grains of embeddings are 5,000 tokens. */
const spend = async (box: Box, key: string): Promise<void> => {
  expect((await box.embed(key, Array<string>(10).fill('x'.repeat(20_000)))).status).toBe(200);
};

const succeeds = async (box: Box, fields: Record<string, unknown> = {}): Promise<unknown> =>
  (await box.createKey(fields)).reply.json['success'];
const { sees } = observing();

/** One check for each variant, by its id in docs/gateway.md, of keys, errors and limits. */
export const keyVariants: Readonly<Record<string, Check>> = {
  'G8.4.page_size_default': sees({ '10': '10 10', '20': '20 20' }, async (box) => {
    await makeMany(box, 10);
    const { items, page_size } = await box.page();
    return [items.length, page_size];
  }),
  'G8.4.page_size_cap': sees({ '100': '100 100', none: '108 500' }, async (box) => {
    await makeMany(box, 95);
    const { items, page_size } = await box.page({ page_size: 500 });
    return [items.length, page_size];
  }),
  'G8.4.page_size_echo': sees({ effective: 100, asked: 500 }, async (box) => {
    return (await box.page({ page_size: 500 })).page_size;
  }),
  'G8.5.page_order': sees({ 'newest-first': '113 1', 'oldest-first': '101 0' }, async (box) => {
    const first = (await box.page({ p: 1, page_size: 5 })).items.map(({ id }) => id);
    await box.createKey();
    const second = await box.page({ p: 2, page_size: 5 });
    return [first[0], second.items.filter(({ id }) => first.includes(id)).length];
  }),
  'G8.5.page_total': sees({ exact: 13, zero: 0 }, async (box) => (await box.page()).total),
  'G8.12.update': sees({ replace: '"0.0000" 0 default 3', keep: '"5.0000" -1 vip 1' }, async (box) => {
    const { id } = await box.createKey({ ...limited, group: 'vip' });
    await box.updateKey({ id, name: 'partly' });
    const { remain_quota, expired_time, group, status } = await box.readKey(id);
    return [remain_quota, expired_time, group, status];
  }),
  'G8.13.update_quota': sees({ overwrite: '5.0000', 'keep-spend': '4.9990' }, async (box) => {
    const { id, key } = await box.createKey(limited);
    const before = await box.readKey(id);
    await spend(box, key);
    await box.updateKey({ ...before, remain_quota: Number(before.remain_quota) });
    return (await box.readKey(id)).remain_quota;
  }),
  'G8.10.quota_request_unit': sees({ currency: '"1250000.0000" +', units: '"2.5000" -' }, async (box) => {
    const { id } = await box.createKey({ ...limited, remain_quota: 1_250_000 });
    return [(await box.readKey(id)).remain_quota, await succeeds(box, { ...limited, remain_quota: 2.5 })];
  }),
  'G8.2.key_status': sees(
    { written: '1 4 3 4 3 4 3 4', late: '1 1 1 1 1 4 3 4', never: '1 1 1 1 1 1 1 1' },
    async (box) => {
      const expiring = await box.createKey({ expired_time: seconds(NOW) + 60 });
      const exhausted = await box.createKey({ ...limited, remain_quota: 0.0001 });
      await spend(box, exhausted.key);
      const statuses: number[] = [];
      for (const later of [0, 60, 659, 660]) {
        box.clock.now = NOW + later * 1000;
        for (const { id } of [expiring, exhausted]) statuses.push((await box.readKey(id)).status);
      }
      return statuses;
    },
  ),
  'G8.9.name_limit': sees({ characters: '+ + +', bytes: '- + -' }, async (box) => {
    const names = ['é'.repeat(50), 'é'.repeat(25), '数'.repeat(17)];
    return Promise.all(names.map((name) => succeeds(box, { name })));
  }),
  'G8.11.past_expiry': sees({ accepted: true, refused: false }, async (box) => {
    return succeeds(box, { expired_time: seconds(NOW) - 1 });
  }),
  'G8.11.zero_expiry': sees({ kept: 0, never: -1 }, async (box) => {
    return (await box.readKey((await box.createKey({ expired_time: 0 })).id)).expired_time;
  }),
  'G8.7.key_cap': sees({ '1000': '+ -', none: '+ +' }, async (box) => {
    box.sandbox.traffic.addKeys(999 - 13, 'many');
    return [await succeeds(box), await succeeds(box)];
  }),
  'G8.8.key_prefix': sees(
    { 'sk-': '+ 200 200', none: '- 200 200', 'none-required': '- 401 200' },
    async (box) => {
      const { key } = await box.createKey();
      const bare = key.replace(/^sk-/u, '');
      const statuses = [(await box.embed(bare)).status, (await box.embed(`sk-${bare}`)).status];
      return [key.startsWith('sk-'), ...statuses];
    },
  ),
  'G16.4.gateway_clock': sees(
    { right: '0 0', behind: '-1 -1', ahead: '1 1', 'date-behind': '0 -3', 'date-ahead': '0 3' },
    async (box) => {
      const { id, reply } = await box.createKey();
      const shown = [
        (await box.readKey(id)).created_time,
        Date.parse(reply.headers.get('date') ?? '') / 1000,
      ];
      return shown.map((time) => (time - seconds(NOW)) / 3600);
    },
  ),
  'G8.15.missing_id': sees(
    { '404': '404 - - 404 - - 404 - -', 'database-text': '200 - + 200 - + 200 - +' },
    async (box) => {
      const [read, deleted] = [await box.call('/api/token/9999'), await box.deleteKey(9999)];
      const replies = [read, deleted, await box.updateKey({ id: 9999, name: 'x' })];
      return replies.map(({ status, json, text }) => [status, json['success'], text.includes('SELECT')]);
    },
  ),
  'G8.16.key_cache': sees(
    { '0': '--- --- --- --- ---', '60': '+++ +++ --- --- ---', '600': '+++ +++ +++ +++ ---' },
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
  ),
  'G3.2.business_errors': sees({ 'http-200': '200 - 200 -', 'http-400': '400 - 400 -' }, async (box) => {
    const { reply } = await box.createKey({ name: '' });
    const log = await box.call('/api/log/self/stream-export?currency=EUR');
    return [reply.status, reply.json['success'], log.status, log.json['success']];
  }),
  'G3.2.message_language': sees({ en: '- - -', zh: '+ + +' }, async (box) => {
    const { reply } = await box.createKey({ name: '' });
    const replies = [reply, await box.call('/nowhere'), await box.call('/api/user/self', { key: '' })];
    return replies.map(({ json }) => /\p{Script=Han}/u.test(String(json['message'])));
  }),
  'G2.7.authentication_errors': observing({
    adminKeys: [{ key: 'sk-admin-few', scopes: ['keys:read'] }],
  }).sees({ '401': '401 - 403 -', '403': '403 - 403 -', 'http-200': '200 - 200 -' }, async (box) => {
    const keys = ['sk-admin-x', 'sk-admin-few'];
    const replies = await Promise.all(keys.map((key) => box.call('/api/user/self', { key })));
    return replies.map(({ status, json }) => [status, json['success']]);
  }),
  'G2.7.authentication_code': sees({ absent: undefined, present: 'invalid_api_key' }, async (box) => {
    return (await box.call('/api/user/self', { key: 'sk-admin-x' })).json['code'];
  }),
  'G3.3.rate_limit': sees({ off: '181 200 null - 21 200', on: '180 429 null + 20 200' }, async (box) => {
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
  }),
  'G9.2.model_key_errors': sees({ '401': '401 401', '403': '403 403' }, async (box) => {
    const { key, id } = await box.createKey();
    box.sandbox.traffic.disableKey(id);
    return [(await box.embed('sk-wrong')).status, (await box.ask(key)).status];
  }),
};
