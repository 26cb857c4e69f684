import { isFault, messageOf } from '../../core/index.ts';
import type { FaultCode, Secret } from '../../core/index.ts';
import type { KeyFields } from '../key-event.ts';
import { fingerprintOf } from '../sinks/fingerprint.ts';
import type { Step } from './cycle.ts';

/** Answers of a gateway that has not come as far as making a key (docs/gateway.md G3.2). */
const refusals: ReadonlySet<string> = new Set<FaultCode>([
  'gateway-key-refused',
  'gateway-scope-missing',
  'gateway-not-found',
  'gateway-rate-limited',
]);

type Made = { readonly id: number; readonly key: Secret };

/**
 * Asks for a key: written down before it is asked for, and after, whatever comes of it. `onMade` has the key before it is
 * written down that there is one. @throws what `create` throws; then there may be a key all the same
 */
export const askForKey = async (
  write: (step: Step) => Promise<void>,
  asked: { readonly generation: number; readonly name: string; readonly spec: KeyFields },
  create: () => Promise<Made>,
  onMade: (made: Made) => void = () => undefined,
): Promise<Made> => {
  const { generation, name } = asked;
  await write({ what: 'creating', ...asked });
  let made: Made;
  try {
    made = await create();
  } catch (error) {
    const code = isFault(error) ? error.code : 'aborted';
    const refused = refusals.has(code) ? { refused: true } : {};
    await write({ what: 'create-lost', generation, name, code, message: messageOf(error), ...refused });
    throw error;
  }
  onMade(made);
  const fingerprint = fingerprintOf(made.key.reveal());
  await write({ what: 'created', keyId: made.id, generation, name, fingerprint });
  return made;
};
