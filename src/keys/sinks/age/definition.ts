import { resolve } from 'node:path';
import { defineSink } from '../definition.ts';
import { earlyFileProblems } from '../early-file.ts';
import { fillPath, type SinkNames } from '../fill.ts';
import { wholePlace } from '../place.ts';
import { createAgeSink } from './age-sink.ts';
import { ageSettings, type AgeSpec } from './settings.ts';

const fill = (spec: AgeSpec, names: SinkNames, cwd: string): AgeSpec => ({
  ...spec,
  path: resolve(cwd, fillPath(spec.path, names)),
});

export const ageSink = defineSink({
  kind: 'age',
  description: 'age sink: a file encrypted for people, who confirm the key with `tollkeeper keys confirm`.',
  settings: ageSettings,
  spec: (written): AgeSpec => ({ kind: 'age', ...written }),
  fill,
  place: ({ path }) => wholePlace(`file:${path}`),
  early: (spec, context) => earlyFileProblems({ spec, fill }, context),
  create: createAgeSink,
});
