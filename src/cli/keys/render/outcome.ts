import type { KeyOutcome, RotationView } from '../../../app/index.ts';
import type { Screen, Style } from '../../ui/paint.ts';
import { rotationJson } from './list.ts';
import { lines } from '../../ui/lines.ts';
import { clip, oneLine } from '../../ui/text.ts';

const styleOf = ({ stage, fault, tries }: RotationView): Style => {
  if (fault !== undefined || tries > 0 || stage === 'waiting' || stage === 'given-up') return 'bad';
  return stage === 'done' ? 'good' : 'busy';
};

const nameOf = (key: { readonly keyId: number; readonly name: string }): string =>
  `${oneLine(key.name)} (id ${key.keyId})`;

const cutOver = ({ old, candidate }: RotationView): readonly string[] => {
  if (candidate === undefined) return old === undefined ? [] : [`of ${nameOf(old)}`];
  return [old === undefined ? nameOf(candidate) : `${nameOf(old)} → ${nameOf(candidate)}`];
};

/** Leaves room for the state after it. */
const title = (name: string, { width, paint }: Screen): string =>
  paint('title', width === undefined ? oneLine(name) : clip(oneLine(name), width - 20));

const rotationLines = (state: RotationView, screen: Screen): readonly string[] => {
  return [
    `${title(state.service, screen)}: ${screen.paint(styleOf(state), state.stage)}`,
    ...cutOver(state).flatMap((message) => lines(message, 2, screen, 'plain')),
    ...lines(state.message, 2, screen, 'plain'),
    ...(state.fault === undefined
      ? []
      : [
          ...lines(state.fault.message, 2, screen, 'bad'),
          ...lines(`what to do: ${state.fault.advice} (${state.fault.code})`, 2, screen, 'plain'),
        ]),
  ].filter((line) => line.trim() !== '');
};

export const renderKeyOutcome = ({ rotations, changes, notes }: KeyOutcome, screen: Screen): string => {
  const page = [
    ...rotations.flatMap((state) => rotationLines(state, screen)),
    ...changes.flatMap(({ name, keyId, done, message }) => [
      `${title(name, screen)} (id ${keyId})`,
      ...lines(message, 2, screen, done ? 'plain' : 'bad'),
    ]),
    ...notes.flatMap((note) => lines(note, 0, screen)),
  ];
  return `${(page.length === 0 ? ['nothing to do'] : page).join('\n')}\n`;
};

export const keyOutcomeJson = ({ rotations, ...rest }: KeyOutcome) => ({
  ...rest,
  rotations: rotations.map(rotationJson),
});
