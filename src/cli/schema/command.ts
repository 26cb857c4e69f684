import type { Command } from 'commander';
import { fault, type Deps } from '../../core/index.ts';
import { reportRelations } from '../../settings.ts';
import { jsonText } from '../ui/json.ts';

const textOf = (views: typeof reportRelations): string => {
  const wide = Math.max(...views.flatMap(({ columns }) => columns.map(({ name }) => name.length)));
  return views
    .map(({ name, description, columns }) =>
      [
        `${name}: ${description}`,
        ...columns.map(
          (column) => `  ${column.name.padEnd(wide)}  ${column.type.padEnd(15)}  ${column.description}`,
        ),
      ].join('\n'),
    )
    .join('\n\n')
    .concat('\n');
};

export const define = (command: Command, deps: Deps): void => {
  command
    .argument('[view]', 'only this view')
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      `
The SQL of reports and \`tollkeeper query\` read these views. docs/reference/views.md
is the same text.

Examples:
  tollkeeper schema
  tollkeeper schema cube
  tollkeeper schema keys --json | jq -r '.views[].columns[].name'`,
    )
    .action((view: string | undefined, { json }: { readonly json?: boolean }) => {
      const views = reportRelations.filter(({ name }) => view === undefined || name === view);
      if (views.length === 0)
        throw fault('wrong-use', `there is no view ${view}`, {
          advice: `use one of ${reportRelations.map(({ name }) => name).join(', ')}`,
        });
      deps.stdout.write(json === true ? jsonText({ views }) : textOf(views));
    });
};
