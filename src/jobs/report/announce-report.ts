import type { AnnouncedSection, Announcement } from '../../notify/index.ts';
import type { ReportModel } from '../../reports/index.ts';
import type { ComposedReport } from './composed.ts';

type Section = ReportModel['sections'][number];
type Change = ReportModel['headline']['change'];

const titled = (title: string | undefined) => (title === undefined ? {} : { title });

const changeOf = ({ direction, ratio, text }: Change) => ({ direction, ratio, text });

/** Omits charts, whose figures the tables hold. */
const sectionOf = (section: Section): readonly AnnouncedSection[] => {
  switch (section.kind) {
    case 'figures':
      return [
        {
          kind: 'figures',
          ...titled(section.title),
          figures: section.figures.map(({ label, value, change, note }) => ({
            label,
            value: { exact: value.exact, text: value.text },
            ...(change === undefined ? {} : { change: changeOf(change) }),
            ...(note === undefined ? {} : { note: note.text }),
          })),
        },
      ];
    case 'table': {
      const shown = section.columns.map(({ role }) => role !== 'bar' && role !== 'trend');
      return [
        {
          kind: 'table',
          title: section.title,
          columns: section.columns.filter((_, index) => shown[index]).map(({ label }) => label),
          rows: section.rows.map(({ role, cells }) => ({
            role,
            cells: cells.filter((_, index) => shown[index]).map(({ exact, text }) => ({ exact, text })),
          })),
        },
      ];
    }
    case 'text':
      return [{ kind: 'text', ...titled(section.title), paragraphs: section.paragraphs }];
    case 'notes':
      return [
        {
          kind: 'notes',
          ...titled(section.title),
          notes: section.notes.map(({ tone, text }) => ({ tone, text })),
        },
      ];
    default:
      return [];
  }
};

export const announceReport = (
  { model, verdict }: Pick<ComposedReport, 'model' | 'verdict'>,
  runId: string,
): Announcement => {
  const { headline } = model;
  return {
    kind: 'report',
    title: model.title,
    subject: model.subject,
    account: model.account,
    period: model.period,
    currency: model.currency,
    total: { label: headline.label, exact: headline.value.exact, text: headline.value.text },
    change: { ...changeOf(headline.change), compared: headline.compared },
    cause: headline.cause,
    verdict,
    sections: model.sections.flatMap(sectionOf),
    footer: model.footer,
    runId,
  };
};
