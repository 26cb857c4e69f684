/* One piece of work a process: its task comes as JSON on the command line, its figures go out as a line of JSON. */
import { stat } from 'node:fs/promises';
import { changeRows, insertFromReader, type ReaderTask } from './ingest-baselines.ts';
import { pull, type PullTask } from './ingest-pull.ts';
import { writeRows, type RowsFile } from './ingest-rows.ts';
import { serveRows } from './ingest-server.ts';
import { memoryOf } from './process-figures.ts';

export type Task =
  | ({ readonly kind: 'write' } & RowsFile)
  | ({ readonly kind: 'serve' } & { readonly file: string })
  | ({ readonly kind: 'pull' } & PullTask)
  | { readonly kind: 'change'; readonly database: string; readonly spanSeconds: number }
  | ({ readonly kind: 'reader' } & ReaderTask);

/** Wall and processor time in seconds, memory in MB (10^6 bytes). */
export type Measured = {
  readonly rows: number;
  readonly wall: number;
  /** Of each piece of the work; of a pull, the last is the checkpoint. */
  readonly walls: readonly number[];
  readonly cpu: number;
  readonly peak: number;
};

const [, , text = ''] = process.argv;
const task = JSON.parse(text) as Task;
const walls: number[] = [];
let cpu = 0;

const timed = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  walls.push((performance.now() - start) / 1000);
  const used = process.cpuUsage(before);
  cpu += (used.user + used.system) / 1e6;
  return result;
};

const write = async (file: RowsFile): Promise<number> => {
  await writeRows(file);
  return (await stat(file.file)).size;
};

/** Gives rows landed; bytes written, or the port, where the task is to write or to serve. */
const carryOut = async (): Promise<number> => {
  if (task.kind === 'write') return write(task);
  if (task.kind === 'serve') return (await serveRows(task.file)).port;
  if (task.kind === 'pull') return pull(task, timed);
  if (task.kind === 'change') return changeRows(task.database, task.spanSeconds);
  return insertFromReader(task, timed);
};

const rows = await carryOut();
const wall = walls.reduce((sum, each) => sum + each, 0);
const { peak } = await memoryOf(process.pid);
process.stdout.write(`${JSON.stringify({ rows, wall, walls, cpu, peak } satisfies Measured)}\n`);
