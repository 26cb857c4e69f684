import type { z } from 'zod';
import type { Sink, SinkProblem } from '../model/sink.ts';
import type { SinkNames } from './fill.ts';
import type { Place } from './place.ts';
import type { SinkDeps } from './sink-deps.ts';
import type { SinkFiles } from './sink-files.ts';

export type EarlyContext = {
  /** `service` is undefined if it is known only after the keys are listed. */
  readonly names: Pick<SinkNames, 'account'> & { readonly service?: string };
  /** The base of relative paths. */
  readonly cwd: string;
  readonly files: SinkFiles;
};

type Parts<Spec extends { readonly kind: string }> = {
  /** The key of the sink under `deliver`. */
  readonly kind: Spec['kind'];
  readonly description: string;
  /** Fills in names and makes paths absolute. @throws Fault sink-refused */
  readonly fill: (spec: Spec, names: SinkNames, cwd: string) => Spec;
  /** The place of the key for a filled spec; contains no secret. */
  readonly place: (filled: Spec, names: SinkNames) => Place;
  /** Problems on this machine that a check finds without a connection and without writing. */
  readonly early?: (spec: Spec, context: EarlyContext) => Promise<readonly SinkProblem[]>;
  /** `place` identifies the place; `problems` of the sink is the check of `doctor`. */
  readonly create: (filled: Spec, place: string, deps: SinkDeps) => Sink;
};

export type SinkDefinition<Spec extends { readonly kind: string }> = Parts<Spec> & {
  readonly settings: z.ZodType;
  /** The spec for settings that `settings` has parsed. */
  readonly spec: (written: unknown) => Spec;
};

/** Hides the type of each kind; safe because `settings` parses what `spec` receives. */
export const defineSink = <Schema extends z.ZodType, Spec extends { readonly kind: string }>({
  spec,
  ...rest
}: Parts<Spec> & {
  readonly settings: Schema;
  readonly spec: (written: z.output<Schema>) => Spec;
}): SinkDefinition<Spec> => ({ ...rest, spec: (written) => spec(written as z.output<Schema>) });
