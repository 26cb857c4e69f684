import type { ReportModel } from '../../src/reports/index.ts';
import type { ChartModel, FigureModel, TableModel } from '../../src/reports/compose/model.ts';

export const findTable = ({ sections }: ReportModel, title: string): TableModel | undefined =>
  sections.find((section): section is TableModel => section.kind === 'table' && section.title === title);

/** @throws Error where the report has no such table */
export const tableOf = (model: ReportModel, title: string): TableModel => {
  const found = findTable(model, title);
  if (found === undefined) throw new Error(`no table ${title}`);
  return found;
};

/** The first chart. @throws Error where the report has none */
export const chartOf = ({ sections }: ReportModel): ChartModel => {
  const found = sections.find((section): section is ChartModel => section.kind === 'chart');
  if (found === undefined) throw new Error('no chart');
  return found;
};

export const figuresOf = ({ sections }: ReportModel): ReadonlyMap<string, FigureModel> =>
  new Map(
    sections.flatMap((section) =>
      section.kind === 'figures' ? section.figures.map((figure) => [figure.label, figure] as const) : [],
    ),
  );

export const notesOf = ({ sections }: ReportModel): readonly string[] =>
  sections.flatMap((section) => (section.kind === 'notes' ? section.notes.map(({ text }) => text) : []));

export const paragraphsOf = ({ sections }: ReportModel): readonly string[] =>
  sections.flatMap((section) => (section.kind === 'text' ? section.paragraphs : []));
