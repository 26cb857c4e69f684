import type { KeyOutcome, RotationState } from '../app/index.ts';
import type { Paint, Screen, Style } from './paint.ts';
import { rotationJson } from './render-keys.ts';
import { oneLine, wrap } from './text.ts';

const styleOf = ({ stage, fault, tries }: RotationState): Style => {
  if (fault !== undefined || tries > 0 || stage === 'waiting' || stage === 'given-up') return 'bad';
  return stage === 'done' ? 'good' : 'busy';
};

const indent = '  ';

const indented = (text: string, style: Style, { width, paint }: Screen): readonly string[] =>
  (width === undefined ? [oneLine(text)] : wrap(oneLine(text), width - indent.length)).map(
    (line) => `${indent}${paint(style, line)}`,
  );

const nameOf = (key: { readonly keyId: number; readonly name: string }): string =>
  `${oneLine(key.name)} (id ${key.keyId})`;

const handOver = ({ old, candidate }: RotationState): readonly string[] => {
  if (candidate === undefined) return old === undefined ? [] : [`of ${nameOf(old)}`];
  return [old === undefined ? nameOf(candidate) : `${nameOf(old)} → ${nameOf(candidate)}`];
};

const rotationLines = (state: RotationState, screen: Screen): readonly string[] => {
  const heading = (paint: Paint): string =>
    `${paint('title', oneLine(state.service))}: ${paint(styleOf(state), state.stage)}`;
  return [
    heading(screen.paint),
    ...handOver(state).flatMap((words) => indented(words, 'plain', screen)),
    ...indented(state.words, 'plain', screen),
    ...(state.fault === undefined
      ? []
      : [
          ...indented(state.fault.message, 'bad', screen),
          ...indented(`what to do: ${state.fault.advice} (${state.fault.code})`, 'plain', screen),
        ]),
  ].filter((line) => line.trim() !== '');
};

/** How each rotation stands that was ordered, and what became of each key that was to end. */
export const renderKeyOutcome = ({ rotations, changes, notes }: KeyOutcome, screen: Screen): string => {
  const page = [
    ...rotations.flatMap((state) => rotationLines(state, screen)),
    ...changes.flatMap(({ name, keyId, done, said }) => [
      `${screen.paint('title', oneLine(name))} (id ${keyId})`,
      ...indented(said, done ? 'plain' : 'bad', screen),
    ]),
    ...notes.flatMap((note) =>
      screen.width === undefined ? [oneLine(note)] : wrap(oneLine(note), screen.width),
    ),
  ];
  return `${(page.length === 0 ? ['nothing was to be done'] : page).join('\n')}\n`;
};

export const keyOutcomeJson = ({ rotations, ...rest }: KeyOutcome) => ({
  ...rest,
  rotations: rotations.map(rotationJson),
});
