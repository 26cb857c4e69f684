import type { Command } from 'commander';
import { jsonText, type Deps } from '../../core/index.ts';
import type { reportRelations } from '../../settings.ts';
import { viewsNamed } from './views.ts';

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
      const views = viewsNamed(view);
      deps.stdout.write(json === true ? jsonText({ views }) : textOf(views));
    });
};
