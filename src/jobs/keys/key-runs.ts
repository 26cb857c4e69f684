import { errorFields, fault, type Fault, type FaultCode } from '../../core/index.ts';
import type { Advanced, KeyService } from '../../keys/index.ts';
import type { JobContext } from '../job-kind.ts';

/** @throws RangeError where the program gives runs no key service. */
export const keyServiceOf = async ({ keys, name }: JobContext): Promise<KeyService> => {
  if (keys === undefined) throw new RangeError(`job ${name} has no key service`);
  return keys();
};

export const whoOf = ({ name }: JobContext): string => `job ${name}`;

/** Takes each step that can be taken now: of the rotations named, or of all that are open and whose time has come. */
export const advanceRotations = async (
  keyService: KeyService,
  ids: readonly string[] | undefined,
  { signal, progress, log, trigger }: JobContext,
): Promise<readonly Advanced[]> => {
  const advanced = await keyService.advance({ ids, signal, progress, retries: trigger === 'hand' });
  for (const { view, fault: wrong } of advanced)
    if (wrong !== undefined) log.warn(`a step of the rotation of ${view.service} failed`, errorFields(wrong));
  return advanced;
};

/** One fault of all that failed: with the code of the first, and each service with its reason. */
export const failureOf = (
  failures: readonly {
    readonly service: string;
    readonly code: FaultCode;
    readonly message: string;
    readonly advice?: string | undefined;
  }[],
): Fault | undefined => {
  const [first] = failures;
  if (first === undefined) return undefined;
  const message = failures.map(({ service, message: why }) => `${service}: ${why}`).join('; ');
  return fault(first.code, message, {
    advice: first.advice,
    // What was begun is tried again by itself; the whole run once more would only use the tries up.
    retryHelps: false,
  });
};
