import { errorFields, fault, type Fault, type FaultCode } from '../../core/index.ts';
import type { Advanced, KeyService } from '../../keys/index.ts';
import type { JobContext } from '../job-kind.ts';

/** @throws RangeError when the runtime gives runs no key service. */
export const keyServiceOf = async ({ keys, name }: JobContext): Promise<KeyService> => {
  if (keys === undefined) throw new RangeError(`job ${name} has no key service`);
  return keys();
};

export const whoOf = ({ name }: JobContext): string => `job ${name}`;

/** Runs every due step of the named rotations, or of all open ones. */
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

/** One fault for all failures: the code of the first, and each service with its reason. */
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
    // Open rotations are retried by themselves; a retry of the whole run would only use up its attempts.
    retryHelps: false,
  });
};
