import { z } from 'zod';
import { exactlyOneOf } from '../../config/index.ts';
import type { SinkProblem } from '../model/sink.ts';
import { ageSink } from './age/definition.ts';
import { awsSink } from './aws/definition.ts';
import { commandSink } from './command/definition.ts';
import type { EarlyContext, SinkDefinition } from './definition.ts';
import { fileSink } from './file/definition.ts';
import { kubernetesSink } from './kubernetes/definition.ts';
import { systemFiles } from './sink-files.ts';
import { vaultSink } from './vault/definition.ts';
import { webhookSink } from './webhook/definition.ts';

const sinkDefinitions = [
  fileSink,
  commandSink,
  webhookSink,
  vaultSink,
  kubernetesSink,
  awsSink,
  ageSink,
] as const;

/** A declared place for keys; relative paths start at the working directory. */
export type SinkSpec = ReturnType<(typeof sinkDefinitions)[number]['spec']>;

const byKind = new Map<string, unknown>(sinkDefinitions.map((definition) => [definition.kind, definition]));

export const definitionOf = (spec: SinkSpec): SinkDefinition<SinkSpec> =>
  byKind.get(spec.kind) as SinkDefinition<SinkSpec>;

const kindIn = (written: Readonly<Record<string, unknown>>) =>
  sinkDefinitions.filter(({ kind }) => written[kind] !== undefined);

export const sinkSettings = z
  .strictObject(
    Object.fromEntries(
      sinkDefinitions.map(({ kind, settings, description }) => [
        kind,
        settings.optional().describe(description),
      ]),
    ),
  )
  .refine(...exactlyOneOf(sinkDefinitions.map(({ kind }) => kind)))
  .transform((written): SinkSpec => {
    const [definition] = kindIn(written);
    if (definition === undefined) throw new RangeError('the shape accepts no sink without a kind');
    return definition.spec(written[definition.kind]);
  });

/** Problems of a sink on this machine that a check finds without a connection and without writing. */
export const earlyProblems = async (
  spec: SinkSpec,
  names: EarlyContext['names'],
  cwd: string,
  files = systemFiles,
): Promise<readonly SinkProblem[]> => (await definitionOf(spec).early?.(spec, { names, cwd, files })) ?? [];
