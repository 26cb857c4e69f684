import { gunzipSync } from 'node:zlib';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect } from 'vitest';
import { expectSeen, seen } from './observe.ts';
import { exactSum, NOW, seconds, withBox, written, type Box, type Table } from './support.ts';

const DAY = 86_400;
const WEEK = { start_timestamp: seconds(NOW) - 7 * DAY, end_timestamp: seconds(NOW) };
const first = (table: Table, name: string): string => table.rows[0]?.[name] ?? 'absent';
const column = (table: Table, name: string): string[] => table.rows.map((row) => row[name] ?? 'absent');
const onlySum = (table: Table): bigint => exactSum(column(table, 'quota'));

/** The body as it goes over the wire. */
const wire = async (
  box: Box,
  acceptEncoding?: string,
): Promise<{ encoding: string | undefined; body: Buffer }> => {
  const request = get(`${box.sandbox.baseUrl}/api/log/self/stream-export`, {
    headers: {
      authorization: `Bearer ${box.sandbox.adminKey}`,
      ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return { encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) };
};

/** One row at a known second: an embedding call at NOW. */
const oneCall = async (box: Box): Promise<number> => {
  const { key } = await box.createKey({ name: '=1+1' });
  await box.embed(key);
  return seconds(NOW);
};

/** One check for each variant, by its id in docs/gateway.md, of the log export and the statistics. */
export const logVariants: Readonly<Record<string, () => Promise<void>>> = {
  'G6.2.compression': async () => {
    const found = await seen('compression', async (box) => {
      const [plain, asked] = [await wire(box), await wire(box, 'br, gzip')];
      const same =
        asked.encoding === 'gzip' ? gunzipSync(asked.body).equals(plain.body) : asked.body.equals(plain.body);
      return [plain.encoding, asked.encoding, same];
    });
    expect(found).toEqual({ gzip: [undefined, 'gzip', true], none: [undefined, undefined, true] });
  },

  'G6.5.created_at': () =>
    expectSeen(
      'created_at',
      async (box) => {
        const start_timestamp = await oneCall(box);
        return first(await box.log({ start_timestamp }), 'created_at');
      },
      {
        seconds: '1795240987',
        milliseconds: '1795240987000',
        rfc3339: '2026-11-21T14:03:07+08:00',
        naive: '2026-11-21 14:03:07',
      },
      { with: { log_zone: 'Asia/Shanghai' } },
    ),

  'G6.5.log_zone': async () => {
    const look = async (box: Box): Promise<string> =>
      first(await box.log({ start_timestamp: await oneCall(box) }), 'created_at');
    await expectSeen(
      'log_zone',
      look,
      {
        UTC: '2026-11-21T06:03:07Z',
        'Asia/Shanghai': '2026-11-21T14:03:07+08:00',
        'Europe/Berlin': '2026-11-21T07:03:07+01:00',
        'America/New_York': '2026-11-21T01:03:07-05:00',
      },
      { with: { created_at: 'rfc3339' } },
    );
  },

  'G6.8.amounts_change': async () => {
    const found = await seen('amounts_change', async (box) => {
      const isWhole = (texts: readonly string[]): boolean => texts.every((text) => /^-?\d+$/u.test(text));
      const look = async (): Promise<string> => {
        const [log, usage] = [column(await box.log(WEEK), 'quota'), column(await box.usage(), 'value')];
        const statistics = [written((await box.stat(WEEK)).text, 'quota')];
        return [log, statistics, usage].map((texts) => (isWhole(texts) ? 'units' : 'USD')).join(' ');
      };
      const before = await look();
      box.clock.now += DAY * 1000;
      return `${before}, then ${await look()}`;
    });
    const then = (units: string): string => `USD USD USD, then ${units}`;
    expect(found).toEqual({
      none: then('USD USD USD'),
      log: then('units USD USD'),
      statistics: then('USD units USD'),
      usage: then('USD USD units'),
      'log-and-statistics': then('units units USD'),
      all: then('units units units'),
    });
  },

  'G6.8.amounts_change_by': async () => {
    const found = await seen(
      'amounts_change_by',
      async (box) => {
        box.clock.now += DAY * 1000;
        const { rows } = await box.log({ ...WEEK, end_timestamp: seconds(box.clock.now) });
        const midnight = Math.ceil(seconds(NOW) / DAY) * DAY;
        const isWhole = (late: boolean): boolean =>
          rows
            .filter((row) => Number(row['created_at']) >= midnight === late)
            .every((row) => /^-?\d+$/u.test(row['quota'] ?? ''));
        return [isWhole(false), isWhole(true)];
      },
      { with: { amounts_change: 'log' } },
    );
    expect(found).toEqual({ answer: [true, true], row: [false, true] });
  },

  'G6.8.log_quota': async () => {
    const { currency, units } = await seen('log_quota', async (box) => ({
      quotas: column(await box.log(), 'quota'),
      truth: box.sandbox.truth.sums(0, seconds(NOW)).quota,
    }));
    expect(currency?.quotas.every((text) => /^-?\d+(?:\.\d{1,8})?$/u.test(text))).toBe(true);
    expect(currency?.quotas.some((text) => /\.\d{8}$/u.test(text))).toBe(true);
    expect(units?.quotas.every((text) => /^-?\d+$/u.test(text))).toBe(true);
    // 500,000 units are one dollar: the charges themselves are whole units then.
    expect(exactSum(units?.quotas ?? [])).toBe(exactSum([units?.truth ?? '']) * 500_000n);
  },

  'G6.7.log_currency': async () => {
    const { USD = 0n, CNY = 0n } = await seen('log_currency', async (box) => onlySum(await box.log()));
    expect(USD > 0n && CNY === 7n * USD).toBe(true);
  },

  'G6.9.refund_rows': () =>
    expectSeen(
      'refund_rows',
      async (box) => {
        const log = await box.log();
        const refunds = log.rows.filter(({ type }) => type === 'refund');
        const negative = log.rows.filter(({ quota }) => quota?.startsWith('-'));
        const truth = box.sandbox.truth.sums(0, seconds(NOW) + 1);
        expect(written((await box.stat()).text, 'quota')).toBe(truth.net);
        return [
          refunds.length > 0,
          negative.length === refunds.length,
          refunds.some((row) => row['token_name'] === ''),
        ];
      },
      { negative: [true, true, true], absent: [false, true, false] },
      { callsPerDay: 100 },
    ),

  'G6.3.cached_header': () =>
    expectSeen(
      'cached_header',
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

  'G6.3.quota_header': () =>
    expectSeen(
      'quota_header',
      async (box) => [
        (await box.log({ columns: 'quota' })).header,
        (await box.log({ columns: 'cost_usd' })).header,
        (await box.log({ columns: 'quota', currency: 'CNY' })).header,
      ],
      { quota: [['quota'], ['quota'], ['quota']], cost_usd: [['cost_usd'], ['cost_usd'], ['cost_cny']] },
    ),

  'G6.3.column_order': async () => {
    const asked = 'quota,created_at,model_name,token_name';
    const { asked: kept, own } = await seen(
      'column_order',
      async (box) => (await box.log({ columns: asked })).header,
    );
    expect(kept).toEqual(asked.split(','));
    expect(own).not.toEqual(kept);
    expect(new Set(own)).toEqual(new Set(kept));
  },

  'G6.3.extra_columns': async () => {
    const { absent, present } = await seen('extra_columns', async (box) => {
      const log = await box.log({ columns: 'created_at,quota' });
      return { header: log.header, sum: onlySum(log), rows: log.rows.length };
    });
    expect(absent?.header).toEqual(['created_at', 'quota']);
    expect(present?.header).toEqual(['channel', 'created_at', 'remark, "free text"', 'quota']);
    expect([present?.sum, present?.rows]).toEqual([absent?.sum, absent?.rows]);
  },

  'G6.4.unknown_columns': () =>
    expectSeen(
      'unknown_columns',
      async (box) => {
        const { header, text } = await box.log({ columns: 'quota,colour,model_name' });
        return text.startsWith('{') ? 'refused' : header;
      },
      { ignored: ['quota', 'model_name'], error: 'refused' },
    ),

  'G6.4.detailed_columns': () =>
    expectSeen(
      'detailed_columns',
      async (box) => {
        const [all, asked] = [await box.log(), await box.log({ columns: 'quota,reasoning_tokens' })];
        return [all.header.includes('reasoning_tokens'), all.header.includes('prompt_tokens'), asked.header];
      },
      {
        always: [true, true, ['quota', 'reasoning_tokens']],
        'on-request': [false, true, ['quota', 'reasoning_tokens']],
      },
    ),

  'G6.13.title_line': async () => {
    const { absent, present } = await seen('title_line', async (box) => (await box.log()).header);
    expect(absent?.[0]).toBe('created_at');
    expect(present).toEqual(['Call log of tollgate, exported 2026-11-21']);
  },

  'G6.13.total_line': async () => {
    const { absent, present } = await seen('total_line', async (box) => {
      const log = await box.log({ columns: 'created_at,quota' });
      const alone = await box.log({ columns: 'quota' });
      return { rows: log.rows, truth: box.sandbox.truth.sums(0, seconds(NOW) + 1), alone: alone.rows.at(-1) };
    });
    expect(absent?.rows).toHaveLength(absent?.truth.rows ?? 0);
    expect(present?.rows).toHaveLength((present?.truth.rows ?? 0) + 1);
    expect(present?.rows.at(-1)).toEqual({ created_at: 'Total', quota: present?.truth.quota });
    expect(present?.alone).toEqual({ quota: `Total: ${present?.truth.quota}` });
  },

  'G6.13.guarded_cells': () =>
    expectSeen(
      'guarded_cells',
      async (box) => {
        await oneCall(box);
        const log = await box.log({ columns: 'token_name,quota' });
        const names = new Set(column(log, 'token_name'));
        const negative = new Set(
          column(log, 'quota')
            .filter((text) => text.includes('-'))
            .map((text) => text.slice(0, 2)),
        );
        return [names.has('=1+1'), names.has("'=1+1"), [...negative]];
      },
      { none: [true, false, ['-0']], text: [false, true, ['-0']], all: [false, true, ["'-"]] },
      { callsPerDay: 100 },
    ),

  'G6.14.hidden_cap': async () => {
    const found = await withBox({ callsPerDay: 1_500, variants: { hidden_cap: 'none' } }, async (box) => {
      const log = await box.log({ columns: 'created_at' });
      return column(log, 'created_at');
    });
    expect(found.length).toBeGreaterThan(50_000);
    await expectSeen(
      'hidden_cap',
      async (box) => {
        const times = column(await box.log({ columns: 'created_at' }), 'created_at');
        return [times.length, times[0] === found.at(-1), Number(times[0]) > Number(times.at(-1))];
      },
      {
        none: [found.length, false, false],
        '777': [777, true, true],
        '5000': [5_000, true, true],
        '10000': [10_000, true, true],
        '50000': [50_000, true, true],
      },
      { callsPerDay: 1_500 },
    );
  },

  'G6.14.row_order': async () => {
    const found = await seen('row_order', async (box) => column(await box.log(), 'created_at').map(Number));
    const oldest = found['oldest-first'] ?? [];
    expect(oldest).toEqual([...oldest].sort((a, b) => a - b));
    expect(found['newest-first']).toEqual([...oldest].reverse());
  },

  'G6.15.row_id': async () => {
    const found = await seen('row_id', async (box) => column(await box.log(), 'id'), { callsPerDay: 40 });
    expect(found['absent']?.[0]).toBe('absent');
    expect([found['page-number']?.[0], found['page-number']?.[99], found['page-number']?.[100]]).toEqual([
      '1',
      '1',
      '2',
    ]);
    expect([found['modulo-1024']?.[0], found['modulo-1024']?.[1022], found['modulo-1024']?.[1023]]).toEqual([
      '1',
      '1023',
      '0',
    ]);
  },

  'G6.12.prompt_tokens': async () => {
    const found = await seen(
      'prompt_tokens',
      async (box) => {
        const { rows } = await box.log();
        const sums = { claude: 0, gpt: 0, cached: 0, tpm: 0 };
        for (const row of rows) {
          const extra = Number(row['cached_tokens']) + Number(row['cache_write_tokens']);
          if (extra === 0) continue;
          if (row['model_name']?.startsWith('claude')) sums.claude += Number(row['prompt_tokens']);
          if (row['model_name']?.startsWith('gpt')) sums.gpt += Number(row['prompt_tokens']);
          sums.cached += extra;
        }
        return sums;
      },
      { callsPerDay: 100 },
    );
    const [vendor, including, excluding] = ['per-vendor', 'includes-cached', 'excludes-cached'].map(
      (name) => found[name],
    );
    expect(vendor?.cached).toBeGreaterThan(1_000);
    expect(vendor?.claude).toBe(excluding?.claude);
    expect(vendor?.gpt).toBe(including?.gpt);
    expect(including?.claude).toBeGreaterThan(excluding?.claude ?? 0);
    expect(including?.gpt).toBeGreaterThan(excluding?.gpt ?? 0);
  },

  'G6.12.completion_tokens': async () => {
    const found = await seen(
      'completion_tokens',
      async (box) => {
        const { rows } = await box.log();
        const sums = { gemini: 0, openai: 0, reasoning: 0, charged: 0 };
        for (const row of rows.filter((one) => Number(one['reasoning_tokens']) > 0)) {
          const completion = Number(row['completion_tokens']);
          if (row['model_name']?.startsWith('gemini')) sums.gemini += completion;
          else sums.openai += completion;
          sums.reasoning += Number(row['reasoning_tokens']);
          sums.charged += Number(row['quota']);
        }
        return sums;
      },
      { callsPerDay: 100 },
    );
    const [includes, excludes, vendor] = ['includes-reasoning', 'excludes-reasoning', 'per-vendor'].map(
      (name) => found[name],
    );
    expect(includes?.reasoning).toBeGreaterThan(1_000);
    expect((includes?.gemini ?? 0) + (includes?.openai ?? 0)).toBe(
      (excludes?.gemini ?? 0) + (excludes?.openai ?? 0) + (includes?.reasoning ?? 0),
    );
    expect([vendor?.gemini, vendor?.openai]).toEqual([excludes?.gemini, includes?.openai]);
    expect([excludes?.charged, vendor?.charged]).toEqual([includes?.charged, includes?.charged]);
  },

  'G6.10.row_kinds': async () => {
    const { all, calls } = await seen('row_kinds', async (box) => new Set(column(await box.log(), 'type')), {
      callsPerDay: 100,
    });
    expect(all).toEqual(new Set(['consumption', 'error', 'refund', 'topup', 'management', 'system']));
    expect(calls).toEqual(new Set(['consumption', 'error', 'refund']));
  },

  'G6.10.kind_values': async () => {
    const {
      word,
      number,
      'own-word': own,
    } = await seen('kind_values', async (box) => column(await box.log(), 'type'), { callsPerDay: 100 });
    const numbers: Record<string, string> = {
      topup: '1',
      consumption: '2',
      management: '3',
      system: '4',
      error: '5',
      refund: '6',
    };
    expect(new Set(number).size).toBe(6);
    expect(number).toEqual(word?.map((kind) => numbers[kind]));
    expect(new Set(own).size).toBe(6);
    expect(own?.filter((kind) => kind === 'void')).toHaveLength(
      word?.filter((kind) => kind === 'error').length ?? 0,
    );
    expect(own?.some((kind) => word?.includes(kind))).toBe(false);
  },

  'G6.3.cached_column': () =>
    expectSeen(
      'cached_column',
      async (box) => {
        const isThere = async () => (await box.log()).header.includes('cached_tokens');
        const before = await isThere();
        box.clock.now += DAY * 1000;
        return [before, await isThere()];
      },
      {
        present: [true, true],
        absent: [false, false],
        appears: [false, true],
        disappears: [true, false],
      },
    ),

  'G6.10.kind_column': () =>
    expectSeen(
      'kind_column',
      async (box) => {
        const headerOf = async (end: number) =>
          (await box.log({ start_timestamp: String(end - 3600), end_timestamp: String(end) })).header;
        const now = seconds(NOW);
        return [(await headerOf(now - 100_000)).includes('type'), (await headerOf(now)).includes('type')];
      },
      { present: [true, true], absent: [false, false], dropped: [true, false] },
    ),

  'G6.11.status_column': async () => {
    const found = await seen(
      'status_column',
      async (box) => {
        const log = await box.log();
        return log.header.includes('status') ? [...new Set(column(log, 'status'))].toSorted() : 'none';
      },
      { callsPerDay: 100 },
    );
    expect(found).toEqual({
      word: ['error', 'success'],
      'own-word': ['settled', 'void'],
      number: ['1', '2', '3', '4', '5', '6'],
      absent: 'none',
    });
  },

  'G16.1.late_rows': () =>
    expectSeen(
      'late_rows',
      async (box) => {
        const late = box.sandbox.truth.rows(0, seconds(NOW)).filter((row) => row.visibleAt > row.createdAt);
        const delays = late.map((row) => row.visibleAt - row.createdAt);
        return [late.length > 20, Math.max(0, ...delays) <= 600];
      },
      { present: [true, true], absent: [false, true] },
      { callsPerDay: 100 },
    ),

  'G6.6.log_range_end': () =>
    expectSeen(
      'log_range_end',
      async (box) => {
        const end_timestamp = await oneCall(box);
        const { rows } = await box.log({ start_timestamp: end_timestamp, end_timestamp });
        return rows.length;
      },
      { exclusive: 0, inclusive: 1 },
    ),

  'G5.6.statistics_range_end': () =>
    expectSeen(
      'statistics_range_end',
      async (box) => {
        const end_timestamp = await oneCall(box);
        return written((await box.stat({ start_timestamp: end_timestamp, end_timestamp })).text, 'quota');
      },
      { exclusive: '0', inclusive: '0.00000004' },
    ),

  'G5.3.statistics_refunds': async () => {
    const found = await seen(
      'statistics_refunds',
      async (box) => {
        const truth = box.sandbox.truth.sums(WEEK.start_timestamp, WEEK.end_timestamp);
        expect(truth.net).not.toBe(truth.consumption);
        return [written((await box.stat(WEEK)).text, 'quota'), truth] as const;
      },
      { callsPerDay: 100 },
    );
    expect(found['included']?.[0]).toBe(found['included']?.[1].net);
    expect(found['excluded']?.[0]).toBe(found['excluded']?.[1].consumption);
  },

  'G5.3.statistics_unit': async () => {
    const found = await seen('statistics_unit', async (box) => [
      exactSum([written((await box.stat(WEEK)).text, 'quota')]),
      exactSum([box.sandbox.truth.sums(WEEK.start_timestamp, WEEK.end_timestamp).net]),
    ]);
    expect(found['USD']?.[0]).toBe(found['USD']?.[1]);
    expect(found['CNY']?.[0]).toBe(7n * (found['CNY']?.[1] ?? 0n));
    expect(found['units']?.[0]).toBe(500_000n * (found['units']?.[1] ?? 0n));
    expect((found['units']?.[0] ?? 1n) % 10n ** 9n).toBe(0n);
  },

  'G5.5.statistics_name_filter': () =>
    expectSeen(
      'statistics_name_filter',
      async (box) => {
        const quota = async (token_name: string): Promise<string> =>
          written((await box.stat({ token_name })).text, 'quota');
        const { byKey } = box.sandbox.truth.sums(0, seconds(NOW) + 1);
        const prod = exactSum(
          Object.entries(byKey)
            .filter(([name]) => name.startsWith('prod-'))
            .map(([, net]) => net),
        );
        expect(await quota('prod-gateway')).toBe(byKey['prod-gateway']);
        return [exactSum([await quota('PROD-')]) === prod, (await quota('PROD-')) === '0'];
      },
      { exact: [false, true], contains: [true, false] },
    ),

  'G5.4.throughput': () =>
    expectSeen(
      'throughput',
      async (box) => {
        const { key } = await box.createKey();
        await box.embed(key);
        const ten = {
          start_timestamp: seconds(NOW) - 599,
          end_timestamp: seconds(NOW) + 1,
          model_name: 'text-embedding-3-small',
        };
        const known = box.sandbox.truth
          .rows(ten.start_timestamp, ten.end_timestamp)
          .filter(({ model }) => model === ten.model_name);
        expect(known).toHaveLength(1);
        const recent = (await box.stat(ten)).text;
        box.clock.now += 60_000;
        const later = (await box.stat(ten)).text;
        return ['rpm', 'tpm', 'mpm'].map((name) => [written(recent, name), written(later, name)]);
      },
      {
        'last-minute': [
          ['1', '0'],
          ['2', '0'],
          ['0.00000004', '0'],
        ],
        range: [
          ['0.1', '0.1'],
          ['0.2', '0.2'],
          ['0', '0'],
        ],
      },
      { callsPerDay: 1 },
    ),

  'G4.3.profile_currency': async () => {
    const { USD = [], CNY = [] } = await seen('profile_currency', async (box) => {
      const data = (await box.profile()).json['data'] as { balance: string; used_quota: string };
      return [Number(data.balance), Number(data.used_quota)];
    });
    expect(CNY[0]).toBeCloseTo(7 * (USD[0] ?? 0), 2);
    expect(CNY[1]).toBeCloseTo(7 * (USD[1] ?? 0), 2);
    expect(USD[1]).toBeGreaterThan(1);
  },
};
