import { fault, type Fault } from '../../core/index.ts';
import type { RotationPlan } from './plan-rotations.ts';
import type { SkippedKey } from './skipped-key.ts';
import type { Sink } from '../model/sink.ts';

/** Why one of the sinks cannot take a key now, checked before a key is created; undefined if each can. */
export const unusableSink = async (
  sinks: readonly Sink[],
  signal: AbortSignal,
): Promise<Fault | undefined> => {
  for (const sink of sinks) {
    const problem = (await sink.problems(signal)).find(({ isAdvisory }) => isAdvisory !== true);
    if (problem !== undefined)
      return fault('sink-refused', `${sink.describe()} cannot take a key: ${problem.message}`, {
        advice: problem.advice,
      });
  }
  return undefined;
};

/** The plan without the rotations whose new key could not be delivered; their keys are skipped, with advice. */
export const withUsableSinks = async (
  plan: RotationPlan,
  keyService: {
    readonly unusableSink: (service: string, job: string, signal: AbortSignal) => Promise<Fault | undefined>;
  },
  signal: AbortSignal,
): Promise<RotationPlan> => {
  const rotations: RotationPlan['rotations'][number][] = [];
  const skipped: SkippedKey[] = [];
  for (const rotation of plan.rotations) {
    const { service, terms, old } = rotation.planned;
    const unusable = await keyService.unusableSink(service, terms.job, signal);
    if (unusable === undefined || old === undefined) rotations.push(rotation);
    else
      skipped.push({
        keyId: old.keyId,
        name: old.name,
        service,
        generation: old.generation,
        age: rotation.age,
        reason: 'sink-unusable',
        message: `${unusable.message}; ${unusable.advice}`,
      });
  }
  return { ...plan, rotations, skipped: [...plan.skipped, ...skipped] };
};
