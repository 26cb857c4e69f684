import { gunzipSync } from 'node:zlib';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { observing, type Check } from './observe.ts';
import { column, exactSum, NOW, seconds, written, type Box, type Table } from './support.ts';

const DAY = 86_400;
const WEEK = { start_timestamp: seconds(NOW) - 7 * DAY, end_timestamp: seconds(NOW) };
const many = observing({ callsPerDay: 100 });
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
  const sums = { claude: 0, gpt: 0, gemini: 0, o4: 0, all: 0, others: 0, quota: 0 };
  for (const row of (await box.log()).rows) {
    const other = others.reduce((sum, one) => sum + Number(row[one]), 0);
    if (other === 0) continue;
    const vendor = (['claude', 'gpt', 'gemini', 'o4'] as const).find((one) =>
      row['model_name']?.startsWith(one),
    );
    if (vendor !== undefined) sums[vendor] += Number(row[name]);
    sums.all += Number(row[name]);
    sums.others += other;
    sums.quota += Number(row['quota']);
  }
  return sums;
};

const { compares, sees } = observing();

/** One check for each variant, by its id in docs/gateway.md, of the log export and the statistics. */
export const logVariants: Readonly<Record<string, Check>> = {
  'G6.2.compression': sees({ gzip: 'undefined gzip +', none: 'undefined undefined +' }, async (box) => {
    const [plain, asked] = [await wire(box), await wire(box, { 'accept-encoding': 'br, gzip' })];
    const body = asked.encoding === 'gzip' ? gunzipSync(asked.body) : asked.body;
    return [plain.encoding, asked.encoding, body.equals(plain.body)];
  }),
  'G6.5.created_at': observing({ with: { log_zone: 'Asia/Shanghai' } }).sees(
    {
      seconds: '1795240987',
      milliseconds: '1795240987000',
      rfc3339: '2026-11-21T14:03:07+08:00',
      naive: '2026-11-21 14:03:07',
    },
    timeOfCall,
  ),
  'G6.5.log_zone': observing({ with: { created_at: 'rfc3339' } }).sees(
    {
      UTC: '2026-11-21T06:03:07Z',
      'Asia/Shanghai': '2026-11-21T14:03:07+08:00',
      'Europe/Berlin': '2026-11-21T07:03:07+01:00',
      'America/New_York': '2026-11-21T01:03:07-05:00',
    },
    timeOfCall,
  ),
  'G6.8.amounts_change': sees(
    {
      none: '- - - then - - -',
      log: '- - - then + - -',
      statistics: '- - - then - + -',
      usage: '- - - then - - +',
      'log-and-statistics': '- - - then + + -',
      all: '- - - then + + +',
    },
    async (box) => {
      const inUnits = async (): Promise<boolean[]> => {
        const [log, usage] = [column(await box.log(WEEK), 'quota'), column(await box.usage(), 'value')];
        return [log, [written((await box.stat(WEEK)).text, 'quota')], usage].map(isWhole);
      };
      const before = await inUnits();
      box.clock.now += DAY * 1000;
      return [...before, 'then', ...(await inUnits())];
    },
  ),
  'G6.8.amounts_change_by': observing({ with: { amounts_change: 'log' } }).sees(
    { answer: '+ +', row: '- +' },
    async (box) => {
      box.clock.now += DAY * 1000;
      const { rows } = await box.log({ ...WEEK, end_timestamp: seconds(box.clock.now) });
      const midnight = Math.ceil(seconds(NOW) / DAY) * DAY;
      return [false, true].map((late) => {
        const meant = rows.filter((row) => Number(row['created_at']) >= midnight === late);
        return isWhole(meant.map((row) => row['quota'] ?? ''));
      });
    },
  ),
  'G6.8.log_quota': sees({ currency: '- + + 1 0', units: '+ + - 500000 0' }, async (box) => {
    const quotas = await columnOf(box, 'quota');
    const isPlain = quotas.every((text) => /^-?\d+(?:\.\d{1,8})?$/u.test(text));
    const hasFractions = quotas.some((text) => /\.\d{8}$/u.test(text));
    const [sum, truth] = [exactSum(quotas), exactSum([box.sandbox.truth.sums(0, seconds(NOW)).quota])];
    // 500,000 units are one dollar: the charges themselves are whole units then.
    return [isWhole(quotas), isPlain, hasFractions, sum / truth, sum % truth];
  }),
  'G6.7.log_currency': sees({ USD: '1 0', CNY: '7 0' }, async (box) => {
    const truth = exactSum([box.sandbox.truth.sums(0, seconds(NOW) + 1).quota]);
    const shown = onlySum(await box.log());
    return [shown / truth, shown % truth];
  }),
  'G6.9.refund_rows': many.sees({ negative: '+ + + +', absent: '- + - +' }, async (box) => {
    const { rows } = await box.log();
    const refunds = rows.filter(({ type }) => type === 'refund');
    const negative = rows.filter(({ quota }) => quota?.startsWith('-'));
    const nameless = refunds.some((row) => row['token_name'] === '');
    const { net } = box.sandbox.truth.sums(0, seconds(NOW) + 1);
    const isNet = written((await box.stat()).text, 'quota') === net;
    return [refunds.length > 0, negative.length === refunds.length, nameless, isNet];
  }),
  'G6.3.cached_header': sees(
    { cached_tokens: '+ cached_tokens', cache_tokens: '+ cache_tokens' },
    async (box) => {
      const { header, rows } = await box.log({ columns: 'cached_tokens,cache_tokens' });
      const [name = ''] = header;
      const isAlone = (await box.log()).header.filter((one) => /^cached?_tokens$/u.test(one)).join() === name;
      return [isAlone && rows.some((row) => Number(row[name]) > 0), ...header];
    },
  ),
  'G6.3.quota_header': sees(
    { quota: 'quota quota quota', cost_usd: 'cost_usd cost_usd cost_cny' },
    async (box) => {
      const asked = [{ columns: 'quota' }, { columns: 'cost_usd' }, { columns: 'quota', currency: 'CNY' }];
      return (await Promise.all(asked.map(box.log))).map(({ header }) => header.join());
    },
  ),
  'G6.3.column_order': sees(
    { asked: 'quota,created_at,model_name', own: 'created_at,model_name,quota' },
    async (box) => (await box.log({ columns: 'quota,created_at,model_name' })).header.join(),
  ),
  'G6.3.extra_columns': sees(
    { absent: '+ + created_at quota', present: '+ + channel created_at "remark, \\"free text\\"" quota' },
    async (box) => {
      const log = await box.log({ columns: 'created_at,quota' });
      const { quota, rows } = box.sandbox.truth.sums(0, seconds(NOW) + 1);
      return [onlySum(log) === exactSum([quota]), log.rows.length === rows, ...log.header];
    },
  ),
  'G6.4.unknown_columns': sees({ ignored: 'quota model_name', error: 'refused' }, async (box) => {
    const { header, text } = await box.log({ columns: 'quota,colour,model_name' });
    return text.startsWith('{') ? 'refused' : header;
  }),
  'G6.4.detailed_columns': sees({ always: '+ + +', 'on-request': '- + +' }, async (box) => {
    const [all, asked] = [await box.log(), await box.log({ columns: 'quota,reasoning_tokens' })];
    const has = ['reasoning_tokens', 'prompt_tokens'].map((name) => all.header.includes(name));
    return [...has, asked.header.join() === 'quota,reasoning_tokens'];
  }),
  'G6.13.title_line': sees(
    { absent: 'created_at', present: 'Call log of tollgate, exported 2026-11-21' },
    async (box) => (await box.log()).header[0],
  ),
  'G6.13.total_line': sees({ absent: '0 - -', present: '1 + +' }, async (box) => {
    const { quota, rows } = box.sandbox.truth.sums(0, seconds(NOW) + 1);
    const last = async (columns: string): Promise<unknown> => (await box.log({ columns })).rows.at(-1);
    const [total, alone] = [{ created_at: 'Total', quota }, { quota: `Total: ${quota}` }];
    const isTotal = isDeepStrictEqual(await last('created_at,quota'), total);
    return [(await box.log()).rows.length - rows, isTotal, isDeepStrictEqual(await last('quota'), alone)];
  }),
  'G6.13.guarded_cells': many.sees({ none: '+ - "-0"', text: '- + "-0"', all: "- + '-" }, async (box) => {
    await oneCall(box);
    const log = await box.log({ columns: 'token_name,quota' });
    const negative = column(log, 'quota').filter((text) => text.includes('-'));
    const has = ['=1+1', "'=1+1"].map((name) => column(log, 'token_name').includes(name));
    return [...has, ...new Set(negative.map((text) => text.slice(0, 2)))];
  }),
  'G6.14.hidden_cap': observing({ callsPerDay: 1_500 }).compares(
    async (box) => column(await box.log({ columns: 'created_at' }), 'created_at'),
    ({ none = [], ...capped }) => {
      expect(none.length).toBeGreaterThan(50_000);
      expect(Object.entries(capped).map(([cap, { length }]) => Number(cap) - length)).toEqual([0, 0, 0, 0]);
      for (const times of Object.values(capped))
        expect([times[0], Number(times[0]) > Number(times.at(-1))]).toEqual([none.at(-1), true]);
    },
  ),
  'G6.14.row_order': compares(
    async (box) => (await columnOf(box, 'created_at')).map(Number),
    ({ 'oldest-first': oldest = [], 'newest-first': newest }) => {
      expect(oldest).toEqual([...oldest].sort((a, b) => a - b));
      expect(newest).toEqual([...oldest].reverse());
    },
  ),
  'G6.15.row_id': observing({ callsPerDay: 40 }).sees(
    {
      absent: 'absent absent absent absent',
      'page-number': '"1" "2" "11" "11"',
      'modulo-1024': '"1" "101" "1023" "0"',
    },
    async (box) => {
      const ids = await columnOf(box, 'id');
      return [0, 100, 1022, 1023].map((at) => ids[at]);
    },
  ),
  'G6.12.prompt_tokens': many.compares(
    async (box) => sumsByVendor(box, 'prompt_tokens', ['cached_tokens', 'cache_write_tokens']),
    ({ 'per-vendor': vendor, 'includes-cached': including, 'excludes-cached': excluding }) => {
      expect(vendor?.others).toBeGreaterThan(1_000);
      expect([vendor?.claude, vendor?.gpt]).toEqual([excluding?.claude, including?.gpt]);
      expect(including?.all).toBe((excluding?.all ?? 0) + (including?.others ?? 0));
    },
  ),
  'G6.12.completion_tokens': many.compares(
    async (box) => sumsByVendor(box, 'completion_tokens', ['reasoning_tokens']),
    ({ 'includes-reasoning': including, 'excludes-reasoning': excluding, 'per-vendor': vendor }) => {
      expect(including?.others).toBeGreaterThan(1_000);
      expect([vendor?.gemini, vendor?.o4]).toEqual([excluding?.gemini, including?.o4]);
      expect(including?.all).toBe((excluding?.all ?? 0) + (including?.others ?? 0));
      expect([excluding?.quota, vendor?.quota]).toEqual([including?.quota, including?.quota]);
    },
  ),
  'G6.10.row_kinds': many.sees(
    { all: 'consumption,error,management,refund,system,topup', calls: 'consumption,error,refund' },
    async (box) => [...new Set(await columnOf(box, 'type'))].toSorted().join(),
  ),
  'G6.10.kind_values': many.compares(
    async (box) => columnOf(box, 'type'),
    ({ word = [], number = [], 'own-word': own = [] }) => {
      const pairs = [...new Set(word.map((kind, at) => `${number[at]} ${kind}`))].toSorted();
      expect(pairs.join()).toBe('1 topup,2 consumption,3 management,4 system,5 error,6 refund');
      const ownPairs = new Set(word.map((kind, at) => `${kind} ${own[at]}`));
      expect([ownPairs.size, new Set(own).size, ownPairs.has('error void')]).toEqual([6, 6, true]);
      expect(own.some((kind) => word.includes(kind))).toBe(false);
    },
  ),
  'G6.3.cached_column': sees(
    { present: '+ +', absent: '- -', appears: '- +', disappears: '+ -' },
    async (box) => {
      const before = await box.log();
      box.clock.now += DAY * 1000;
      return [before, await box.log()].map(({ header }) => header.includes('cached_tokens'));
    },
  ),
  'G6.10.kind_column': sees({ present: '+ +', absent: '- -', dropped: '+ -' }, async (box) => {
    const ends = [seconds(NOW) - 100_000, seconds(NOW)];
    const ranges = ends.map((end_timestamp) => ({ start_timestamp: end_timestamp - 3600, end_timestamp }));
    return (await Promise.all(ranges.map(box.log))).map(({ header }) => header.includes('type'));
  }),
  'G6.11.status_column': many.sees(
    { word: 'error,success', 'own-word': 'settled,void', number: '1,2,3,4,5,6', absent: 'absent' },
    async (box) => [...new Set(await columnOf(box, 'status'))].toSorted().join(),
  ),
  'G16.1.late_rows': many.sees({ present: '+ +', absent: '- +' }, async (box) => {
    const delays = box.sandbox.truth.rows(0, seconds(NOW)).map((row) => row.visibleAt - row.createdAt);
    return [delays.filter((delay) => delay > 0).length > 20, Math.max(...delays) <= 600];
  }),
  'G6.6.log_range_end': sees({ exclusive: 0, inclusive: 1 }, async (box) => {
    const end_timestamp = await oneCall(box);
    return (await box.log({ start_timestamp: end_timestamp, end_timestamp })).rows.length;
  }),
  'G5.6.statistics_range_end': sees({ exclusive: '0', inclusive: '0.00000004' }, async (box) => {
    const end_timestamp = await oneCall(box);
    return written((await box.stat({ start_timestamp: end_timestamp, end_timestamp })).text, 'quota');
  }),
  'G5.3.statistics_refunds': many.sees({ included: '+ -', excluded: '- +' }, async (box) => {
    const { net, consumption } = box.sandbox.truth.sums(WEEK.start_timestamp, WEEK.end_timestamp);
    const quota = written((await box.stat(WEEK)).text, 'quota');
    return [quota === net, quota === consumption];
  }),
  'G5.3.statistics_unit': sees({ USD: '1 0 -', CNY: '7 0 -', units: '500000 0 +' }, async (box) => {
    const quota = exactSum([written((await box.stat(WEEK)).text, 'quota')]);
    const truth = exactSum([box.sandbox.truth.sums(WEEK.start_timestamp, WEEK.end_timestamp).net]);
    return [quota / truth, quota % truth, quota % 10n ** 9n === 0n];
  }),
  'G5.5.statistics_name_filter': sees({ exact: '- +', contains: '+ -' }, async (box) => {
    const quota = async (token_name: string): Promise<string> =>
      written((await box.stat({ token_name })).text, 'quota');
    const { byKey } = box.sandbox.truth.sums(0, seconds(NOW) + 1);
    expect(await quota('prod-gateway')).toBe(byKey['prod-gateway']);
    const prod = Object.entries(byKey).filter(([name]) => name.startsWith('prod-'));
    const part = await quota('PROD-');
    return [exactSum([part]) === exactSum(prod.map(([, net]) => net)), part === '0'];
  }),
  'G5.4.throughput': observing({ callsPerDay: 1 }).sees(
    { 'last-minute': '"1 0" "2 0" "0.00000004 0"', range: '"0.1 0.1" "0.2 0.2" "0 0"' },
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
  ),
  'G4.3.profile_currency': compares(
    async (box) => Object.values((await box.profile()).json['data'] as Record<string, string>).map(Number),
    ({ USD = [], CNY = [] }) => {
      const rates = USD.map((amount, at) => ((CNY[at] ?? 0) / amount).toFixed(3));
      expect(rates.filter((rate) => rate === '7.000')).toHaveLength(2);
    },
  ),
};
