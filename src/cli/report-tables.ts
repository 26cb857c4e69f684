import { reportRelations } from '../settings.ts';

/** The tables of report SQL with their columns, for a person or as JSON. */
export const reportTables = (asJson: boolean): string => {
  if (asJson) return `${JSON.stringify({ tables: reportRelations }, null, 2)}\n`;
  const wide = Math.max(...reportRelations.flatMap(({ columns }) => columns.map(({ name }) => name.length)));
  return reportRelations
    .map(({ name, words, columns }) =>
      [
        `${name}: ${words}`,
        ...columns.map(
          (column) => `  ${column.name.padEnd(wide)}  ${column.type.padEnd(15)}  ${column.words}`,
        ),
      ].join('\n'),
    )
    .join('\n\n')
    .concat('\n');
};
