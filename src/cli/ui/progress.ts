import {
  sizeText,
  type Clock,
  type OutputStream,
  type Progress,
  type ProgressStep,
} from '../../core/index.ts';
import { clip, oneLine } from './text.ts';
import { describeDuration } from './messages.ts';

const count = (value: number): string => value.toLocaleString('en-US');

const rateOf = ({ bytesPerSecond, rowsPerSecond }: ProgressStep): string | undefined => {
  if (bytesPerSecond !== undefined) return `${sizeText(bytesPerSecond)}/s`;
  return rowsPerSecond === undefined ? undefined : `${count(rowsPerSecond)} rows/s`;
};

/** One line: `pulling call logs: 3 of 15, 41,203 rows, 7.9 MB, 2.1 MB/s, 12 s left (2026-01-01 to 2026-02-01)`. */
export const progressLine = (step: ProgressStep): string => {
  const figures = [
    step.total === undefined ? undefined : `${count(step.done ?? 0)} of ${count(step.total)}`,
    step.rows === undefined ? undefined : `${count(step.rows)} rows`,
    step.bytes === undefined ? undefined : sizeText(step.bytes),
    rateOf(step),
    step.millisLeft === undefined ? undefined : `${describeDuration(step.millisLeft)} left`,
  ].filter((figure) => figure !== undefined);
  const detail = step.detail === undefined ? '' : ` (${step.detail})`;
  return `${step.step}${figures.length === 0 ? '' : `: ${figures.join(', ')}`}${detail}`;
};

/** Milliseconds between two lines of one step when the output is not a terminal. */
const quiet = 5000;

/** On a terminal one line that is rewritten; elsewhere a line at intervals, and always the last of a step. */
export const showProgress = (
  output: OutputStream,
  clock: Clock,
  // Whether the last line of each step stays on the terminal.
  keepsSteps = true,
): { progress: Progress; end: () => void } => {
  let last = { step: '', at: 0 };
  let open = false;
  const end = (): void => {
    if (open) output.write(keepsSteps ? '\n' : '\r\u001B[2K');
    open = false;
  };
  const onTerminal: Progress = (step) => {
    if (open && keepsSteps && last.step !== step.step) end();
    last = { step: step.step, at: clock.now() };
    output.write(`\r\u001B[2K${clip(oneLine(progressLine(step)), Math.max(output.columns - 1, 20))}`);
    open = true;
  };
  const elsewhere: Progress = (step) => {
    const whole = step.total !== undefined && step.done === step.total;
    if (step.step === last.step && !whole && clock.now() - last.at < quiet) return;
    last = { step: step.step, at: clock.now() };
    output.write(`${oneLine(progressLine(step))}\n`);
  };
  return { progress: output.isTerminal ? onTerminal : elsewhere, end };
};
