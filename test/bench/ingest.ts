import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inOwnProcess, startServer, type ServerProcess } from './ingest-children.ts';
import { memoryLimit } from './ingest-pull.ts';
import type { Measured } from './ingest-process.ts';
import type { BenchReport } from './report.ts';

export type IngestOptions = {
  /** Of the comparison with the reader, in millions. */
  readonly millions: number;
  /** Of the largest table, in millions. */
  readonly most: number;
  /** Pairs of pull and reader; the median counts. */
  readonly rounds: number;
};

const day = 86_400;
const start = 1_735_689_600; // 2025-01-01T00:00:00Z
/** A year in windows of 31 days, as a first pull with the usual settings cuts it. */
const window = 31 * day;
const year = 12 * window;

/** MB of 10^6 bytes. */
const maxMemory = memoryLimit + 250;

/** No round number: those look like a cap, and are asked for again in halves. */
const odd = (millions: number): number => Math.round(millions * 1_000_000) + 7;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

type Source = ServerProcess & { readonly file: string; readonly bytes: number; readonly rows: number };

export const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Rows on disk, evenly over the span, and a gateway that serves them. */
const withSource = async (
  folder: string,
  rows: number,
  from: number,
  end: number,
  work: (source: Source) => Promise<void>,
  namedOnly = false,
): Promise<void> => {
  const file = join(folder, 'rows.csv');
  const { rows: bytes } = await inOwnProcess({ kind: 'write', file, rows, start: from, end, namedOnly });
  await using server = await startServer(file);
  await work({ ...server, file, bytes, rows });
  await rm(file);
};

let databases = 0;

const newDatabase = (folder: string): string => {
  databases += 1;
  return join(folder, `${databases}`, 'bench.duckdb');
};

const checked = (measured: Measured, rows: number): Measured => {
  if (measured.rows !== rows) throw new Error(`${measured.rows} rows were landed, not ${rows}`);
  return measured;
};

const pullYear = async (
  database: string,
  { port, rows }: Source,
  windowSeconds: number,
  again = false,
  url?: string,
): Promise<Measured> => {
  const task = { database, url, port, start, ends: [start + year], windowSeconds, again };
  return checked(await inOwnProcess({ kind: 'pull', ...task }), rows);
};

/** A gateway with millions of calls of a year. */
export const withYear = (
  folder: string,
  millions: number,
  work: (source: Source) => Promise<void>,
): Promise<void> => withSource(folder, odd(millions), start, start + year, work);

/** Pulls a year in twelve windows into a new database: a file, or an empty one at the URL. */
export const measureYear = (folder: string, source: Source, url?: string): Promise<Measured> =>
  pullYear(newDatabase(folder), source, window, false, url);

/** A year of calls into an empty table, beside DuckDB's reader alone; the checkpoint of both is included. */
const measureSpeed = async (
  report: BenchReport,
  options: IngestOptions,
  folder: string,
  namedOnly: boolean,
): Promise<void> => {
  const rows = odd(options.millions);
  const compare = async (source: Source): Promise<void> => {
    report.title(
      `${rows} rows, ${Math.round(source.bytes / rows)} bytes each, a year of calls${namedOnly ? ', without other columns' : ''}; load of the machine ${loadavg()[0]?.toFixed(1)}`,
    );
    const figures = (name: string, { wall, cpu, peak }: Measured): void =>
      report.row(
        name,
        `${wall.toFixed(2)} s, ${Math.round(rows / wall)} rows/s, processor ${cpu.toFixed(2)} s, peak ${peak.toFixed(0)} MB`,
      );
    const ratios: { wall: number; cpu: number }[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const database = newDatabase(folder);
      const reader = checked(
        await inOwnProcess({ kind: 'reader', database, file: source.file, namedOnly }),
        rows,
      );
      figures('read_csv alone into an equal table', reader);
      const pulled = await pullYear(newDatabase(folder), source, window);
      figures('pull', pulled);
      ratios.push({ wall: pulled.wall / reader.wall, cpu: pulled.cpu / reader.cpu });
    }
    const [cpu, wall] = namedOnly ? [undefined, undefined] : [1.15, 1.2];
    report.figure('CPU of a pull against read_csv alone', median(ratios.map((one) => one.cpu)), 'times', cpu);
    report.figure('its time', median(ratios.map((one) => one.wall)), 'times', wall);
  };
  await withSource(folder, rows, start, start + year, compare, namedOnly);
};

/** Hours of 1,000 rows each, one after the other; seconds that each takes but the first, which finds nothing cached. */
const pullHours = async (folder: string, database: string, from: number): Promise<readonly number[]> => {
  const hours = Array.from({ length: 7 }, (_, hour) => from + (hour + 1) * 3600);
  const end = from + hours.length * 3600;
  let walls: readonly number[] = [];
  await withSource(folder, odd(hours.length / 1000), from, end, async ({ port }) => {
    const task = { database, port, start: from, ends: hours, windowSeconds: window, again: false };
    ({ walls } = await inOwnProcess({ kind: 'pull', ...task }));
  });
  return walls.slice(1, -1);
};

/** Memory and cost per row with each number of rows, in twelve windows and in one, also when they are pulled again; then an hour more. */
const measureGrowth = async (report: BenchReport, options: IngestOptions, folder: string): Promise<void> => {
  const costs = new Map<string, number>();
  let largest = '';
  const fewest = Math.min(1, options.most / 4);
  for (const millions of [fewest, options.most / 2, options.most]) {
    const rows = odd(millions);
    await withSource(folder, rows, start, start + year, async (source) => {
      for (const [cut, seconds] of [
        ['twelve windows', window],
        ['one window', year],
      ] as const) {
        report.title(`${rows} rows in ${cut}`);
        const database = newDatabase(folder);
        const first = await pullYear(database, source, seconds);
        const again = await pullYear(database, source, seconds, true);
        await inOwnProcess({ kind: 'change', database, spanSeconds: seconds });
        const changed = await pullYear(database, source, seconds, true);
        for (const [name, { wall, cpu, peak }] of [
          ['pulled', first],
          ['pulled again', again],
          ['pulled again, a row of each window changed', changed],
        ] as const) {
          report.row(name, `${wall.toFixed(2)} s, processor ${cpu.toFixed(2)} s`);
          report.figure('the most memory there was', peak, 'MB', maxMemory);
        }
        report.figure('time of pulling again', again.wall / first.wall, 'times', 1.1);
        report.figure('its CPU', again.cpu / first.cpu, 'times');
        report.figure('time where each window changed', changed.wall / first.wall, 'times', 1.1);
        const cost = first.cpu / rows;
        costs.set(cut, costs.get(cut) ?? cost);
        if (millions === options.most)
          report.figure(
            `CPU of a row, against ${fewest} million rows`,
            cost / (costs.get(cut) ?? cost),
            'times',
            1.1,
          );
        largest = database;
      }
    });
  }
  report.title(`One new hour of 1,000 rows, with ${options.most} million rows in the table and with none`);
  const hours = await pullHours(folder, largest, start + year);
  const none = await pullHours(folder, newDatabase(folder), start + year);
  report.figure('with none', median(none), 's');
  report.figure('with many', median(hours), 's');
  report.figure('many against none', median(hours) / median(none), 'times', 1.5);
};

/** The pull of call logs beside DuckDB's own reader; its memory; an hour more. */
export const benchIngest = async (report: BenchReport, options: IngestOptions): Promise<void> => {
  await inFolder((folder) => measureSpeed(report, options, folder, false));
  await inFolder((folder) => measureSpeed(report, options, folder, true));
  await inFolder((folder) => measureGrowth(report, options, folder));
};
