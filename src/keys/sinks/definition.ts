import type { z } from 'zod';
import type { Sink, SinkProblem } from '../sink.ts';
import type { SinkNames } from './fill.ts';
import type { Place } from './place.ts';
import type { SinkDeps } from './sink-deps.ts';
import type { SinkFiles } from './sink-files.ts';

/** What an early check works with. */
export type EarlyContext = {
  /** `service` is missing where it is known only once the keys are listed. */
  readonly names: Pick<SinkNames, 'account'> & { readonly service?: string };
  /** Relative paths start here. */
  readonly cwd: string;
  readonly files: SinkFiles;
};

type Parts<Spec extends { readonly kind: string }> = {
  /** The key of the sink under `deliver`. */
  readonly kind: Spec['kind'];
  /** For the JSON Schema and the reference. */
  readonly description: string;
  /** The spec with names filled in and paths made absolute. @throws Fault sink-refused */
  readonly fill: (spec: Spec, names: SinkNames, cwd: string) => Spec;
  /** Where the key of a filled spec is; holds no secret. */
  readonly place: (filled: Spec, names: SinkNames) => Place;
  /** Problems on this machine that are found without a connection and without writing. */
  readonly early?: (spec: Spec, context: EarlyContext) => Promise<readonly SinkProblem[]>;
  /** `place` names the place; `problems` of the sink is the check of `doctor`. */
  readonly create: (filled: Spec, place: string, deps: SinkDeps) => Sink;
};

/** One kind of sink: the shape of its YAML, and all that is done with it. */
export type SinkDefinition<Spec extends { readonly kind: string }> = Parts<Spec> & {
  readonly settings: z.ZodType;
  /** The spec of settings that `settings` has parsed. */
  readonly spec: (written: unknown) => Spec;
};

/** Lets each kind use its own type; `settings` has parsed what `spec` receives. */
export const defineSink = <Schema extends z.ZodType, Spec extends { readonly kind: string }>({
  spec,
  ...rest
}: Parts<Spec> & {
  readonly settings: Schema;
  readonly spec: (written: z.output<Schema>) => Spec;
}): SinkDefinition<Spec> => ({ ...rest, spec: (written) => spec(written as z.output<Schema>) });
