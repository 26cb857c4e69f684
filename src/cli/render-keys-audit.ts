import type { AuditView } from '../app/index.ts';
import type { Screen } from './paint.ts';
import { oneLine, wrap } from './text.ts';
import { counted } from './words.ts';

/** What a check of the audit file came to. */
export const renderAudit = ({ file, lines, head, broken }: AuditView, { paint, width }: Screen): string => {
  const verdict =
    broken === undefined
      ? `${counted(lines, 'step')} in one unbroken chain`
      : `broken in line ${broken.line}: ${broken.why}`;
  const style = broken === undefined ? 'good' : 'bad';
  const page = [
    [oneLine(file), 'quiet'],
    [oneLine(verdict), style],
    ...(lines === 0 ? [] : [[`head ${head}`, 'plain'] as const]),
  ] as const;
  return `${page
    .flatMap(([text, look]) =>
      (width === undefined ? [text] : wrap(text, width)).map((line) => paint(look, line)),
    )
    .join('\n')}\n`;
};
