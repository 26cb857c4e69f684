import { parseArgs } from 'node:util';
import { noPostgres } from '../support/postgres-cluster.ts';
import { benchParts } from './parts-speed.ts';
import { benchAlerts } from './alert-speed.ts';
import { benchBackup } from './backup-speed.ts';
import { benchExport } from './export-speed.ts';
import { benchEventLoop } from './event-loop.ts';
import { benchForecast } from './forecast-speed.ts';
import { benchGrowth } from './growth.ts';
import { benchIngest } from './ingest.ts';
import { benchKeys } from './key-speed.ts';
import { benchPrices } from './price-speed.ts';
import { createReport } from './report.ts';
import { benchPage } from './page-speed.ts';
import { benchReplicas } from './replicas.ts';
import { benchReports } from './report-speed.ts';
import { benchRollup } from './rollup-speed.ts';
import { benchScheduler } from './scheduler.ts';
import { benchStartUp } from './start-up.ts';
import { benchUnusual } from './unusual-speed.ts';
import { benchTests } from './tests.ts';

const usage = `npm run bench -- [start-up] [scheduler] [event-loop] [growth] [ingest] [report] [export] [parts] [alerts] [forecast] [unusual] [prices] [page] [backup] [replicas] [tests] [--rows 5] [--most 10] [--rounds 3] [--scale 1] [--smoke]
  --rows    millions of rows that the pull is compared with
  --most    millions of rows of the largest table
  --rounds  pairs of pull and reader alone; the median counts
  --scale   the share of the usual size of all others, such as calls, jobs and rounds: 0.1 is a tenth
  --smoke   runs each once at a small size, with replicas where PostgreSQL is, and ignores targets: shows that they run
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
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const usual = [
  'start-up',
  'scheduler',
  'event-loop',
  'growth',
  'ingest',
  'report',
  'export',
  'parts',
  'alerts',
  'forecast',
  'unusual',
  'prices',
  'page',
  'backup',
];
const all = values.smoke && noPostgres === undefined ? [...usual, 'replicas'] : usual;
const parts = positionals.length === 0 ? all : positionals;
const report = createReport((text) => void process.stdout.write(text));
const number = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`${text} is no number above 0\n${usage}`);
  return value;
};

const size = values.smoke
  ? { millions: 0.02, most: 0.04, rounds: 1, scale: 0.01 }
  : {
      millions: number(values.rows),
      most: number(values.most),
      rounds: number(values.rounds),
      scale: number(values.scale),
    };

if (values.help) process.stdout.write(usage);
else {
  if (parts.includes('start-up')) await benchStartUp(report, size.scale);
  if (parts.includes('scheduler')) await benchScheduler(report, size.scale);
  if (parts.includes('event-loop')) await benchEventLoop(report, size.scale);
  if (parts.includes('growth')) await benchGrowth(report, size.scale);
  if (parts.includes('ingest')) await benchIngest(report, size);
  if (parts.includes('report')) await benchReports(report, size.scale, benchRollup);
  if (parts.includes('export')) await benchExport(report, size.scale);
  if (parts.includes('forecast')) benchForecast(report, size.scale);
  if (parts.includes('unusual')) {
    benchUnusual(report, size.scale);
    benchKeys(report, size.scale);
  }
  if (parts.includes('prices')) await benchPrices(report, size.scale);
  if (parts.includes('tests')) benchTests(report);
  if (parts.includes('replicas')) await benchReplicas(report, size);
  if (parts.includes('page')) await benchPage(report, size.scale);
  if (parts.includes('backup')) await benchBackup(report, size.scale);
  if (parts.includes('parts')) await benchParts(report, size.scale);
  if (parts.includes('alerts')) await benchAlerts(report, size.scale);
}
process.exitCode = values.smoke || report.missed() === 0 ? 0 : 1;
