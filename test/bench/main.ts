import { parseArgs } from 'node:util';
import { benchAlerts } from './alert-speed.ts';
import { benchBackup } from './backup-speed.ts';
import { benchEventLoop } from './event-loop.ts';
import { benchGrowth } from './growth.ts';
import { benchIngest } from './ingest.ts';
import { createReport } from './report.ts';
import { benchPage } from './page-speed.ts';
import { benchReplicas } from './replicas.ts';
import { benchReports } from './report-speed.ts';
import { benchRollup } from './rollup-speed.ts';
import { benchScheduler } from './scheduler.ts';
import { benchStartUp } from './start-up.ts';
import { benchTests } from './tests.ts';

const usage = `npm run bench -- [start-up] [scheduler] [event-loop] [growth] [ingest] [report] [alerts] [page] [backup] [replicas] [tests] [--rows 5] [--most 10] [--rounds 3] [--scale 1]
  --rows    millions of rows that the pull is compared with
  --most    millions of rows of the largest table
  --rounds  pairs of pull and reader alone; the median counts
  --scale   how many of the calls that reports, pages and backups are measured over there are: 0.1 is a tenth
  replicas needs PostgreSQL 15, and runs only when it is named
  tests runs npm test and shows what its CPU is spent on; it runs only when it is named
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '5' },
    most: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

const parts =
  positionals.length === 0
    ? ['start-up', 'scheduler', 'event-loop', 'growth', 'ingest', 'report', 'alerts', 'page', 'backup']
    : positionals;
const report = createReport((text) => void process.stdout.write(text));
const number = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`${text} is no number above 0\n${usage}`);
  return value;
};

if (values.help) process.stdout.write(usage);
else {
  if (parts.includes('start-up')) await benchStartUp(report);
  if (parts.includes('scheduler')) await benchScheduler(report);
  if (parts.includes('event-loop')) await benchEventLoop(report);
  if (parts.includes('growth')) await benchGrowth(report);
  if (parts.includes('ingest'))
    await benchIngest(report, {
      millions: number(values.rows),
      most: number(values.most),
      rounds: number(values.rounds),
    });
  if (parts.includes('report')) await benchReports(report, number(values.scale), benchRollup);
  if (parts.includes('tests')) benchTests(report);
  if (parts.includes('replicas'))
    await benchReplicas(report, {
      millions: number(values.rows),
      rounds: number(values.rounds),
      scale: number(values.scale),
    });
  if (parts.includes('page')) await benchPage(report, number(values.scale));
  if (parts.includes('backup')) await benchBackup(report, number(values.scale));
  if (parts.includes('alerts')) await benchAlerts(report, number(values.scale));
}
process.exitCode = report.missed() === 0 ? 0 : 1;
