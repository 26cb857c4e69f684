import type { Position } from '../../core/index.ts';

/** One fault of the config: its position, what is wrong, and the next step. Never contains a secret. */
export type ConfigFault = Position & {
  readonly file: string;
  readonly message: string;
  readonly advice?: string | undefined;
};

/** `config/jobs/spend.yaml:4:13: message`, and the next step on a second line. */
export const formatConfigFault = (fault: ConfigFault): string =>
  `${fault.file}:${fault.line}:${fault.column}: ${fault.message}` +
  (fault.advice === undefined ? '' : `\n  what to do: ${fault.advice}`);

export const sortFaults = (faults: readonly ConfigFault[]): ConfigFault[] =>
  [...faults].sort(
    (left, right) =>
      (left.file < right.file ? -1 : left.file > right.file ? 1 : 0) ||
      left.line - right.line ||
      left.column - right.column,
  );
