/** `spend-by-model` as a title: `Spend by model`. */
const titleOf = (name: string): string => {
  const message = name.replaceAll(/[._-]+/g, ' ').trim();
  return message.charAt(0).toUpperCase() + message.slice(1);
};

const yamlOf = (
  name: string,
): string => `# Subject, preheader and headline have defaults; every key: the shipped reports, and "Write a report" in docs/reports.md.
title: ${JSON.stringify(titleOf(name))}
sections:
  - kind: notes
  - kind: table
    title: Models
    sql: models.sql
    columns:
      - { label: Model, name: model_name, format: text }
      - { label: Calls, name: calls, format: integer }
      - { label: Spend, name: spend, format: money }
      - { label: Per call, quotient: { of: spend, by: calls }, format: money }
      - { label: Share, share_of: spend }
`;

const sql = `-- \`tollkeeper schema\` prints every view and column.
SELECT model_name, sum(calls) AS calls, sum(spend) AS spend
FROM cube
WHERE period = 'current' AND kind IN ('consumption', 'refund')
GROUP BY 1
ORDER BY spend DESC, 1
`;

/** The files of a new report: spend by model over last month. */
export const newReportFiles = (name: string): readonly { readonly name: string; readonly text: string }[] => [
  { name: 'report.yaml', text: yamlOf(name) },
  { name: 'models.sql', text: sql },
];
