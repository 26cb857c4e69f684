import { countText } from '../../../core/index.ts';
import type { AuditView } from '../../../app/index.ts';
import type { Screen, Style } from '../../ui/paint.ts';
import { lines } from '../../ui/lines.ts';

type Line = readonly [text: string, style: Style];

const missingLines = ({ missing }: AuditView): readonly Line[] =>
  missing === undefined
    ? []
    : [
        [
          `the file was missing or empty, although the database contains ${countText(missing.steps, 'step')}`,
          'bad',
        ],
        ...(missing.writtenAgain ? [['it has been rewritten from the database', 'plain'] as const] : []),
      ];

const verdictLines = ({ lines: count, head, broken, missing }: AuditView): readonly Line[] => {
  if (missing?.writtenAgain === false) return [];
  return [
    broken === undefined
      ? [`${countText(count, 'step')} in an unbroken chain`, 'good']
      : [`broken in line ${broken.line}: ${broken.why}`, 'bad'],
    ...(count === 0 ? [] : [[`head ${head}`, 'plain'] as const]),
  ];
};

const databaseLines = ({ database }: AuditView): readonly Line[] => {
  if (database === undefined) return [];
  return database.differs === undefined
    ? [['each step agrees with the database', 'good']]
    : [[`the file differs from the database: ${database.differs}`, 'bad']];
};

export const renderAudit = (view: AuditView, screen: Screen): string => {
  const page: readonly Line[] = [
    [view.file, 'quiet'],
    ...missingLines(view),
    ...verdictLines(view),
    ...databaseLines(view),
    ...(view.advice === undefined ? [] : [[`what to do: ${view.advice}`, 'plain'] as const]),
  ];
  return `${page.flatMap(([text, style]) => lines(text, 0, screen, style)).join('\n')}\n`;
};
