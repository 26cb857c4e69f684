import { gunzipSync } from 'node:zlib';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect } from 'vitest';
import { sees, type Check } from './observe.ts';
import { column, exactSum, NOW, seconds, written, type Box, type Table } from './support.ts';

const DAY = 86_400;
const WEEK = { start_timestamp: seconds(NOW) - 7 * DAY, end_timestamp: seconds(NOW) };
const many = { callsPerDay: 100 };
const onlySum = (table: Table): bigint => exactSum(column(table, 'quota'));
const columnOf = async (box: Box, name: string): Promise<string[]> => column(await box.log(), name);
const isWhole = (texts: readonly string[]): boolean => texts.every((text) => /^-?\d+$/u.test(text));

/** The body as it goes over the wire. */
const wire = async (box: Box, more: Record<string, string> = {}) => {
  const headers = { authorization: `Bearer ${box.sandbox.adminKey}`, ...more };
  const request = get(`${box.sandbox.baseUrl}/api/log/self/stream-export`, { headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return { encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) };
};

/** One row at a known second: an embedding call at NOW. */
const oneCall = async (box: Box): Promise<number> => {
  await box.embed((await box.createKey({ name: '=1+1' })).key);
  return seconds(NOW);
};
const timeOfCall = async (box: Box): Promise<string | undefined> =>
  column(await box.log({ start_timestamp: await oneCall(box) }), 'created_at')[0];

/** Sums of a column over the rows that a model's name begins with, of those rows that are meant. */
const sumsByVendor = async (box: Box, name: string, others: readonly string[]) => {
  const sums = { claude: 0, gpt: 0, gemini: 0, all: 0, others: 0, quota: 0 };
  for (const row of (await box.log()).rows) {
    const other = others.reduce((sum, one) => sum + Number(row[one]), 0);
    if (other === 0) continue;
    for (const vendor of ['claude', 'gpt', 'gemini'] as const)
      if (row['model_name']?.startsWith(vendor)) sums[vendor] += Number(row[name]);
    sums.all += Number(row[name]);
    sums.others += other;
    sums.quota += Number(row['quota']);
  }
  return sums;
};

/** One check for each variant, by its id in docs/gateway.md, of the log export and the statistics. */
export const logVariants: Readonly<Record<string, Check>> = {
  'G6.2.compression': sees(
    async (box) => {
      const [plain, asked] = [await wire(box), await wire(box, { 'accept-encoding': 'br, gzip' })];
      const body = asked.encoding === 'gzip' ? gunzipSync(asked.body) : asked.body;
      return [plain.encoding, asked.encoding, body.equals(plain.body)];
    },
    { gzip: [undefined, 'gzip', true], none: [undefined, undefined, true] },
  ),
  'G6.5.created_at': sees(
    timeOfCall,
    {
      seconds: '1795240987',
      milliseconds: '1795240987000',
      rfc3339: '2026-11-21T14:03:07+08:00',
      naive: '2026-11-21 14:03:07',
    },
    { with: { log_zone: 'Asia/Shanghai' } },
  ),
  'G6.5.log_zone': sees(
    timeOfCall,
    {
      UTC: '2026-11-21T06:03:07Z',
      'Asia/Shanghai': '2026-11-21T14:03:07+08:00',
      'Europe/Berlin': '2026-11-21T07:03:07+01:00',
      'America/New_York': '2026-11-21T01:03:07-05:00',
    },
    { with: { created_at: 'rfc3339' } },
  ),
  'G6.8.amounts_change': sees(
    async (box) => {
      const look = async (): Promise<string> => {
        const [log, usage] = [column(await box.log(WEEK), 'quota'), column(await box.usage(), 'value')];
        const statistics = [written((await box.stat(WEEK)).text, 'quota')];
        return [log, statistics, usage].map((texts) => (isWhole(texts) ? 'units' : 'USD')).join(' ');
      };
      const before = await look();
      box.clock.now += DAY * 1000;
      return `${before}, then ${await look()}`;
    },
    {
      none: 'USD USD USD, then USD USD USD',
      log: 'USD USD USD, then units USD USD',
      statistics: 'USD USD USD, then USD units USD',
      usage: 'USD USD USD, then USD USD units',
      'log-and-statistics': 'USD USD USD, then units units USD',
      all: 'USD USD USD, then units units units',
    },
  ),
  'G6.8.amounts_change_by': sees(
    async (box) => {
      box.clock.now += DAY * 1000;
      const { rows } = await box.log({ ...WEEK, end_timestamp: seconds(box.clock.now) });
      const midnight = Math.ceil(seconds(NOW) / DAY) * DAY;
      return [false, true].map((late) => {
        const meant = rows.filter((row) => Number(row['created_at']) >= midnight === late);
        return isWhole(meant.map((row) => row['quota'] ?? ''));
      });
    },
    { answer: [true, true], row: [false, true] },
    { with: { amounts_change: 'log' } },
  ),
  'G6.8.log_quota': sees(
    async (box) => {
      const quotas = await columnOf(box, 'quota');
      const truth = exactSum([box.sandbox.truth.sums(0, seconds(NOW)).quota]);
      // 500,000 units are one dollar: the charges themselves are whole units then.
      return [
        isWhole(quotas),
        quotas.every((text) => /^-?\d+(?:\.\d{1,8})?$/u.test(text)),
        quotas.some((text) => /\.\d{8}$/u.test(text)),
        exactSum(quotas) / truth,
      ];
    },
    { currency: [false, true, true, 1n], units: [true, true, false, 500_000n] },
  ),
  'G6.7.log_currency': sees(
    async (box) => onlySum(await box.log()),
    ({ USD = 0n, CNY }) => expect([USD > 0n, CNY]).toEqual([true, 7n * USD]),
  ),
  'G6.9.refund_rows': sees(
    async (box) => {
      const { rows } = await box.log();
      const refunds = rows.filter(({ type }) => type === 'refund');
      const negative = rows.filter(({ quota }) => quota?.startsWith('-'));
      const truth = box.sandbox.truth.sums(0, seconds(NOW) + 1);
      expect(written((await box.stat()).text, 'quota')).toBe(truth.net);
      const nameless = refunds.some((row) => row['token_name'] === '');
      return [refunds.length > 0, negative.length === refunds.length, nameless];
    },
    { negative: [true, true, true], absent: [false, true, false] },
    many,
  ),
  'G6.3.cached_header': sees(
    async (box) => {
      const asked = await box.log({ columns: 'cached_tokens,cache_tokens' });
      expect(exactSum(column(asked, asked.header[0] ?? '')) > 0n).toBe(true);
      return [(await box.log()).header.filter((name) => /^cached?_tokens$/u.test(name)), asked.header];
    },
    {
      cached_tokens: [['cached_tokens'], ['cached_tokens']],
      cache_tokens: [['cache_tokens'], ['cache_tokens']],
    },
  ),
  'G6.3.quota_header': sees(
    async (box) => [
      (await box.log({ columns: 'quota' })).header,
      (await box.log({ columns: 'cost_usd' })).header,
      (await box.log({ columns: 'quota', currency: 'CNY' })).header,
    ],
    { quota: [['quota'], ['quota'], ['quota']], cost_usd: [['cost_usd'], ['cost_usd'], ['cost_cny']] },
  ),
  'G6.3.column_order': sees(
    async (box) => (await box.log({ columns: 'quota,created_at,model_name' })).header.join(),
    { asked: 'quota,created_at,model_name', own: 'created_at,model_name,quota' },
  ),
  'G6.3.extra_columns': sees(
    async (box) => {
      const log = await box.log({ columns: 'created_at,quota' });
      const { quota, rows } = box.sandbox.truth.sums(0, seconds(NOW) + 1);
      return [log.header, onlySum(log) === exactSum([quota]), log.rows.length === rows];
    },
    {
      absent: [['created_at', 'quota'], true, true],
      present: [['channel', 'created_at', 'remark, "free text"', 'quota'], true, true],
    },
  ),
  'G6.4.unknown_columns': sees(
    async (box) => {
      const { header, text } = await box.log({ columns: 'quota,colour,model_name' });
      return text.startsWith('{') ? 'refused' : header;
    },
    { ignored: ['quota', 'model_name'], error: 'refused' },
  ),
  'G6.4.detailed_columns': sees(
    async (box) => {
      const [all, asked] = [await box.log(), await box.log({ columns: 'quota,reasoning_tokens' })];
      const has = ['reasoning_tokens', 'prompt_tokens'].map((name) => all.header.includes(name));
      return [...has, asked.header.join()];
    },
    {
      always: [true, true, 'quota,reasoning_tokens'],
      'on-request': [false, true, 'quota,reasoning_tokens'],
    },
  ),
  'G6.13.title_line': sees(async (box) => (await box.log()).header[0], {
    absent: 'created_at',
    present: 'Call log of tollgate, exported 2026-11-21',
  }),
  'G6.13.total_line': sees(
    async (box) => {
      const truth = box.sandbox.truth.sums(0, seconds(NOW) + 1);
      const total = async (columns: string) =>
        Object.values((await box.log({ columns })).rows.at(-1) ?? {})
          .join()
          .replace(truth.quota, 'SUM');
      const more = (await box.log()).rows.length - truth.rows;
      return [
        more,
        /Total/u.test(await total('created_at')),
        await total('created_at,quota'),
        await total('quota'),
      ];
    },
    ({ absent, present }) => {
      expect(absent?.slice(0, 2)).toEqual([0, false]);
      expect(present).toEqual([1, true, 'Total,SUM', 'Total: SUM']);
    },
  ),
  'G6.13.guarded_cells': sees(
    async (box) => {
      await oneCall(box);
      const log = await box.log({ columns: 'token_name,quota' });
      const names = column(log, 'token_name');
      const negative = column(log, 'quota').filter((text) => text.includes('-'));
      const starts = [...new Set(negative.map((text) => text.slice(0, 2)))];
      return [names.includes('=1+1'), names.includes("'=1+1"), starts];
    },
    { none: [true, false, ['-0']], text: [false, true, ['-0']], all: [false, true, ["'-"]] },
    many,
  ),
  'G6.14.hidden_cap': sees(
    async (box) => {
      const times = column(await box.log({ columns: 'created_at' }), 'created_at').map(Number);
      return {
        count: times.length,
        newest: Math.max(times[0] ?? 0, times.at(-1) ?? 0),
        isNewestFirst: (times[0] ?? 0) > (times.at(-1) ?? 0),
      };
    },
    ({ none, ...capped }) => {
      expect(none?.count).toBeGreaterThan(50_000);
      const newest = none?.newest;
      expect(none).toEqual({ count: none?.count, newest, isNewestFirst: false });
      const expected = [777, 5_000, 10_000, 50_000].map((count) => [
        String(count),
        { count, newest, isNewestFirst: true },
      ]);
      expect(capped).toEqual(Object.fromEntries(expected));
    },
    { callsPerDay: 1_500 },
  ),
  'G6.14.row_order': sees(
    async (box) => (await columnOf(box, 'created_at')).map(Number),
    ({ 'oldest-first': oldest = [], 'newest-first': newest }) => {
      expect(oldest).toEqual([...oldest].sort((a, b) => a - b));
      expect(newest).toEqual([...oldest].reverse());
    },
  ),
  'G6.15.row_id': sees(
    async (box) => {
      const ids = await columnOf(box, 'id');
      return [0, 99, 100, 1022, 1023].map((at) => ids[at]).join(' ');
    },
    {
      absent: 'absent absent absent absent absent',
      'page-number': '1 1 2 11 11',
      'modulo-1024': '1 100 101 1023 0',
    },
    { callsPerDay: 40 },
  ),
  'G6.12.prompt_tokens': sees(
    async (box) => sumsByVendor(box, 'prompt_tokens', ['cached_tokens', 'cache_write_tokens']),
    ({ 'per-vendor': vendor, 'includes-cached': including, 'excludes-cached': excluding }) => {
      expect(vendor?.others).toBeGreaterThan(1_000);
      expect([vendor?.claude, vendor?.gpt]).toEqual([excluding?.claude, including?.gpt]);
      expect(including?.claude).toBeGreaterThan(excluding?.claude ?? 0);
      expect(including?.gpt).toBeGreaterThan(excluding?.gpt ?? 0);
    },
    many,
  ),
  'G6.12.completion_tokens': sees(
    async (box) => sumsByVendor(box, 'completion_tokens', ['reasoning_tokens']),
    ({ 'includes-reasoning': including, 'excludes-reasoning': excluding, 'per-vendor': vendor }) => {
      expect(including?.others).toBeGreaterThan(1_000);
      expect(including?.all).toBe((excluding?.all ?? 0) + (including?.others ?? 0));
      const [others, gemini] = [(including?.all ?? 0) - (including?.gemini ?? 0), excluding?.gemini ?? 0];
      expect([vendor?.gemini, vendor?.all]).toEqual([gemini, others + gemini]);
      expect([excluding?.quota, vendor?.quota]).toEqual([including?.quota, including?.quota]);
    },
    many,
  ),
  'G6.10.row_kinds': sees(
    async (box) => [...new Set(await columnOf(box, 'type'))].toSorted().join(),
    { all: 'consumption,error,management,refund,system,topup', calls: 'consumption,error,refund' },
    many,
  ),
  'G6.10.kind_values': sees(
    async (box) => columnOf(box, 'type'),
    ({ word = [], number = [], 'own-word': own = [] }) => {
      const pairs = new Set(word.map((kind, at) => `${kind} ${number[at]}`));
      const kinds = 'topup 1,consumption 2,management 3,system 4,error 5,refund 6'.split(',');
      expect(pairs).toEqual(new Set(kinds));
      const ownPairs = new Set(word.map((kind, at) => `${kind} ${own[at]}`));
      expect([ownPairs.size, new Set(own).size, ownPairs.has('error void')]).toEqual([6, 6, true]);
      expect(own.some((kind) => word.includes(kind))).toBe(false);
    },
    many,
  ),
  'G6.3.cached_column': sees(
    async (box) => {
      const isThere = async () => (await box.log()).header.includes('cached_tokens');
      const before = await isThere();
      box.clock.now += DAY * 1000;
      return [before, await isThere()];
    },
    { present: [true, true], absent: [false, false], appears: [false, true], disappears: [true, false] },
  ),
  'G6.10.kind_column': sees(
    async (box) => {
      const has = async (end_timestamp: number): Promise<boolean> =>
        (await box.log({ start_timestamp: end_timestamp - 3600, end_timestamp })).header.includes('type');
      return [await has(seconds(NOW) - 100_000), await has(seconds(NOW))];
    },
    { present: [true, true], absent: [false, false], dropped: [true, false] },
  ),
  'G6.11.status_column': sees(
    async (box) => [...new Set(await columnOf(box, 'status'))].toSorted().join(),
    { word: 'error,success', 'own-word': 'settled,void', number: '1,2,3,4,5,6', absent: 'absent' },
    many,
  ),
  'G16.1.late_rows': sees(
    async (box) => {
      const delays = box.sandbox.truth.rows(0, seconds(NOW)).map((row) => row.visibleAt - row.createdAt);
      return [delays.filter((delay) => delay > 0).length > 20, Math.max(...delays) <= 600];
    },
    { present: [true, true], absent: [false, true] },
    many,
  ),
  'G6.6.log_range_end': sees(
    async (box) => {
      const end_timestamp = await oneCall(box);
      return (await box.log({ start_timestamp: end_timestamp, end_timestamp })).rows.length;
    },
    { exclusive: 0, inclusive: 1 },
  ),
  'G5.6.statistics_range_end': sees(
    async (box) => {
      const end_timestamp = await oneCall(box);
      return written((await box.stat({ start_timestamp: end_timestamp, end_timestamp })).text, 'quota');
    },
    { exclusive: '0', inclusive: '0.00000004' },
  ),
  'G5.3.statistics_refunds': sees(
    async (box) => {
      const { net, consumption } = box.sandbox.truth.sums(WEEK.start_timestamp, WEEK.end_timestamp);
      const quota = written((await box.stat(WEEK)).text, 'quota');
      return [quota === net, quota === consumption];
    },
    { included: [true, false], excluded: [false, true] },
    many,
  ),
  'G5.3.statistics_unit': sees(
    async (box) => {
      const quota = exactSum([written((await box.stat(WEEK)).text, 'quota')]);
      const truth = exactSum([box.sandbox.truth.sums(WEEK.start_timestamp, WEEK.end_timestamp).net]);
      return [quota / truth, quota % truth, quota % 10n ** 9n === 0n];
    },
    { USD: [1n, 0n, false], CNY: [7n, 0n, false], units: [500_000n, 0n, true] },
  ),
  'G5.5.statistics_name_filter': sees(
    async (box) => {
      const quota = async (token_name: string): Promise<string> =>
        written((await box.stat({ token_name })).text, 'quota');
      const { byKey } = box.sandbox.truth.sums(0, seconds(NOW) + 1);
      expect(await quota('prod-gateway')).toBe(byKey['prod-gateway']);
      const prod = Object.entries(byKey).filter(([name]) => name.startsWith('prod-'));
      const part = await quota('PROD-');
      return [exactSum([part]) === exactSum(prod.map(([, net]) => net)), part === '0'];
    },
    { exact: [false, true], contains: [true, false] },
  ),
  'G5.4.throughput': sees(
    async (box) => {
      const at = await oneCall(box);
      const model_name = 'text-embedding-3-small';
      const ten = { start_timestamp: at - 599, end_timestamp: at + 1, model_name };
      const known = box.sandbox.truth.rows(ten.start_timestamp, ten.end_timestamp);
      expect(known.filter(({ model }) => model === model_name)).toHaveLength(1);
      const recent = (await box.stat(ten)).text;
      box.clock.now += 60_000;
      const later = (await box.stat(ten)).text;
      return ['rpm', 'tpm', 'mpm'].map((name) => `${written(recent, name)} ${written(later, name)}`);
    },
    { 'last-minute': ['1 0', '2 0', '0.00000004 0'], range: ['0.1 0.1', '0.2 0.2', '0 0'] },
    { callsPerDay: 1 },
  ),
  'G4.3.profile_currency': sees(
    async (box) => {
      const { balance, used_quota } = (await box.profile()).json['data'] as Record<string, string>;
      return [Number(balance), Number(used_quota)] as const;
    },
    ({ USD: [balance, used] = [0, 0], CNY = [0, 0] }) => {
      expect(used).toBeGreaterThan(1);
      expect(CNY[0]).toBeCloseTo(7 * balance, 2);
      expect(CNY[1]).toBeCloseTo(7 * used, 2);
    },
  ),
};
