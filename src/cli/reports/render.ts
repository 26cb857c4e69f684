import { countText, sizeText, unixMillis } from '../../core/index.ts';
import type { ListedReport, ReportList } from '../../app/index.ts';
import { commonZone, localSlot, timesIn } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines } from '../ui/table.ts';

const totalOf = ({ totals: [total] }: ListedReport): string =>
  total?.exact == null ? 'unknown' : `${total.exact} ${total.unit ?? ''}`.trim();

const sizeOf = ({ files }: ListedReport): string =>
  sizeText(files.reduce((sum, file) => sum + file.bytes, 0));

export const renderReports = ({ reports, damaged }: ReportList, screen: Screen): string => {
  if (reports.length + damaged.length === 0) return 'no stored reports\n';
  const zone = commonZone(reports);
  const lines = tableLines(
    [
      { title: 'SLOT' },
      ...(zone === undefined ? [{ title: 'ZONE', spare: 1 }] : []),
      { title: 'JOB' },
      { title: 'REPORT', spare: 3 },
      { title: 'PERIOD' },
      { title: 'TOTAL' },
      { title: 'VERDICT', spare: 2 },
      { title: 'MAILS', spare: 4 },
      { title: 'SIZE', spare: 5 },
    ],
    reports.map((report) => ({
      cells: [
        localSlot(unixMillis(Date.parse(report.slot)), report.zone),
        ...(zone === undefined ? [report.zone] : []),
        report.part === undefined ? report.job : `${report.job} (${report.part})`,
        report.report,
        report.period.label,
        totalOf(report),
        report.verdict.good
          ? report.verdict.verdict
          : { text: report.verdict.verdict, style: 'warn' as const },
        String(report.mails.length),
        sizeOf(report),
      ],
      below: [
        ...(report.notSent === undefined ? [] : [report.notSent]),
        { text: report.folder, style: 'quiet' as const },
      ],
    })),
    screen,
  );
  return `${[
    ...(reports.length === 0 ? [] : [...timesIn(zone, screen), ...lines]),
    ...(damaged.length === 0
      ? []
      : [screen.paint('bad', `${countText(damaged.length, 'folder')} without a readable report:`)]),
    ...damaged.map((folder) => `    ${folder}`),
  ].join('\n')}\n`;
};
