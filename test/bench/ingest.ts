import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inOwnProcess, startServer, type ServerProcess } from './ingest-children.ts';
import { memoryLimit } from './ingest-pull.ts';
import type { Measured } from './ingest-process.ts';
import type { BenchReport } from './report.ts';

export type IngestOptions = {
  /** Of the main comparison, in millions. */
  readonly millions: number;
  /** Of the largest table, in millions. */
  readonly most: number;
  /** Pairs of the main comparison; the median is told. */
  readonly rounds: number;
};

/** Rows of csv-parse: it takes as long for each, and far too long for all. */
const parsedRows = 500_000;

const day = 86_400;
const start = 1_735_689_600; // 2025-01-01T00:00:00Z
/** A year in windows of 31 days, as a first pull with the usual settings cuts it. */
const window = 31 * day;
const year = 12 * window;

/** MB of 10^6 bytes. */
const maxMemory = memoryLimit + 300;

/** How much more memory ten times the rows may take. */
const flat = 1.1;

/** No round number: those look like a cap, and are asked for again in halves. */
const odd = (millions: number): number => Math.round(millions * 1_000_000) + 7;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

type Source = ServerProcess & { readonly file: string; readonly bytes: number; readonly rows: number };

const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
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
): Promise<void> => {
  const file = join(folder, 'rows.csv');
  const { rows: bytes } = await inOwnProcess({ kind: 'write', file, rows, start: from, end });
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

/** A year of calls into an empty table, beside DuckDB's reader alone and csv-parse. */
const measureSpeed = async (report: BenchReport, options: IngestOptions, folder: string): Promise<void> => {
  const rows = odd(options.millions);
  await withSource(folder, rows, start, start + year, async (source) => {
    report.title(
      `${rows} rows, ${Math.round(source.bytes / rows)} bytes each, a year of calls; load of the machine ${loadavg()[0]?.toFixed(1)}`,
    );
    const figures = (name: string, measured: Measured, serving = 0): void => {
      const size = (source.bytes / source.rows) * measured.rows;
      report.row(
        name,
        `${measured.wall.toFixed(2)} s, ${Math.round(measured.rows / measured.wall)} rows/s, ${(size / 1e6 / measured.wall).toFixed(0)} MB/s, processor ${measured.cpu.toFixed(2)} s${serving === 0 ? '' : ` and ${serving.toFixed(2)} s serving`}, peak ${measured.peak.toFixed(0)} MB`,
      );
    };
    const ratios: { wall: number; cpu: number; whole: number }[] = [];
    const walls: number[] = [];
    const peaks: number[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const alone = async (kind: 'reader' | 'as-served'): Promise<Measured> =>
        checked(await inOwnProcess({ kind, database: newDatabase(folder), file: source.file }), rows);
      const pull = async (windowSeconds: number): Promise<Measured> => {
        const served = await source.cpu();
        const task = { database: newDatabase(folder), port: source.port, start, ends: [start + year] };
        const measured = await inOwnProcess({ kind: 'pull', ...task, windowSeconds, again: false });
        const name = windowSeconds === window ? 'pull' : 'pull in one window';
        figures(name, checked(measured, rows), (await source.cpu()) - served);
        return measured;
      };
      const reader = await alone('reader');
      figures('read_csv alone into an equal table', reader);
      const pulled = await pull(window);
      const whole = await pull(year);
      figures('read_csv alone, columns as served', await alone('as-served'));
      ratios.push({
        wall: pulled.wall / reader.wall,
        cpu: pulled.cpu / reader.cpu,
        whole: whole.wall / reader.wall,
      });
      walls.push(pulled.wall);
      peaks.push(pulled.peak, whole.peak);
    }
    const few = Math.min(parsedRows, rows);
    const parsed = await inOwnProcess({
      kind: 'appender',
      database: newDatabase(folder),
      file: source.file,
      rows: few,
    });
    figures(`csv-parse and appender, ${few} rows`, parsed);
    report.figure('pull against read_csv alone', median(ratios.map(({ wall }) => wall)), 'times', 1.25);
    report.figure('in one window', median(ratios.map(({ whole }) => whole)), 'times');
    report.figure('its processor time', median(ratios.map(({ cpu }) => cpu)), 'times');
    report.figure('the most memory a pull took', Math.max(...peaks), 'MB', maxMemory);
    const slower = (parsed.wall * (rows / few)) / median(walls);
    report.figure('pull against csv-parse, scaled', 1 / slower, 'times', 1 / 5);
  });
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
  return walls.slice(1);
};

/** Memory with each number of rows in a single window, also when it is pulled again; then an hour more. */
const measureMemory = async (report: BenchReport, options: IngestOptions, folder: string): Promise<void> => {
  const peaks: number[] = [];
  let hours: readonly number[] = [];
  const sizes = [1, options.most / 2, options.most];
  for (const millions of sizes) {
    const rows = odd(millions);
    report.title(`${rows} rows in one window`);
    const database = newDatabase(folder);
    await withSource(folder, rows, start, start + window, async ({ port }) => {
      const task = { database, port, start, ends: [start + window], windowSeconds: window };
      for (const again of [false, true]) {
        const { peak, wall } = checked(await inOwnProcess({ kind: 'pull', ...task, again }), rows);
        peaks.push(peak);
        report.row(again ? 'pulled again' : 'pulled', `${wall.toFixed(2)} s`);
        report.figure('the most memory there was', peak, 'MB', maxMemory);
      }
    });
    if (millions === options.most) hours = await pullHours(folder, database, start + window);
  }
  const [small = 0, smallAgain = 0, half = 0, , whole = 0, wholeAgain = 0] = peaks;
  report.figure(
    `${options.most} million rows against 1 million`,
    Math.max(whole, wholeAgain) / Math.max(small, smallAgain),
    'times',
    flat,
  );
  report.figure(
    `${options.most} million rows against half of them`,
    Math.max(whole, wholeAgain) / half,
    'times',
  );
  report.title(`One new hour of 1,000 rows, with ${options.most} million rows in the table and with none`);
  const none = await pullHours(folder, newDatabase(folder), start + window);
  report.figure('with none', median(none), 's');
  report.figure('with many', median(hours), 's');
  report.figure('many against none', median(hours) / median(none), 'times', 1.5);
};

/** The pull of call logs beside DuckDB's own reader and beside csv-parse; its memory; an hour more. */
export const benchIngest = async (report: BenchReport, options: IngestOptions): Promise<void> => {
  await inFolder((folder) => measureSpeed(report, options, folder));
  await inFolder((folder) => measureMemory(report, options, folder));
};
