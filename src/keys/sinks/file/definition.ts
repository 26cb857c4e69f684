import { resolve } from 'node:path';
import { isFault } from '../../../core/index.ts';
import type { SinkProblem } from '../../model/sink.ts';
import { defineSink } from '../definition.ts';
import { earlyFileProblems } from '../early-file.ts';
import { contentOf, groupProblems, problemOf, type FileTarget } from '../file-target.ts';
import { fillName, fillPath, fillPointer, type SinkNames } from '../fill.ts';
import type { Place } from '../place.ts';
import { createFileSink } from './file-sink.ts';
import { formOf, textOf } from './form-of.ts';
import { fileSettings, fileSpecOf, type FileHolds, type FileSpec } from './settings.ts';

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

const holdsOf = (holds: FileHolds, names: SinkNames): FileHolds => {
  switch (holds.kind) {
    case 'variable':
      return { ...holds, name: fillName(holds.name, names, variableName, 'name of a variable') };
    case 'pointer':
      return { ...holds, pointer: fillPointer(holds.pointer, names) };
    default:
      return holds;
  }
};

const fill = (spec: FileSpec, names: SinkNames, cwd: string): FileSpec => ({
  ...spec,
  path: resolve(cwd, fillPath(spec.path, names)),
  holds: holdsOf(spec.holds, names),
});

const partOf = (holds: FileHolds): string => {
  switch (holds.kind) {
    case 'variable':
      return `#${holds.name}`;
    case 'pointer':
      return `#${holds.pointer}`;
    default:
      return '';
  }
};

const within = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`);

const filePlace = ({ path, holds }: FileSpec): Place => {
  const part = partOf(holds);
  return {
    whole: `file:${path}`,
    part,
    // A file has one format; writing it in another would corrupt it.
    overlaps: (other) => {
      const pointers = part.startsWith('#/') && other.startsWith('#/');
      const variables = /^#[^/]/.test(part) && /^#[^/]/.test(other);
      if (pointers) return within(part, other) || within(other, part);
      return variables ? part === other : true;
    },
  };
};

/** Content that prevents writing the key; an unreadable file is no evidence. */
const contentProblems = (spec: FileSpec, target: FileTarget): readonly SinkProblem[] => {
  const form = formOf(spec);
  if (target.stats === undefined) return [];
  try {
    form.read(textOf(contentOf(target) ?? Buffer.alloc(0)));
    return [];
  } catch (error) {
    return isFault(error) ? [problemOf(error)] : [];
  }
};

export const fileSink = defineSink({
  kind: 'file',
  description: 'File sink: a variable of a dotenv file, a value of a JSON file, or a whole file.',
  settings: fileSettings,
  spec: fileSpecOf,
  fill,
  place: filePlace,
  early: (spec, context) => {
    const more = (filled: FileSpec, target: FileTarget) => [
      ...groupProblems(target, filled.mode),
      ...contentProblems(filled, target),
    ];
    return earlyFileProblems({ spec, fill, more }, context);
  },
  create: createFileSink,
});
