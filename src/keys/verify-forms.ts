import type { Secret } from '../core/index.ts';
import type { ModelAnswer } from '../gateway/index.ts';
import type { LearnedPoint } from '../warehouse/index.ts';
import { verifyKey, type VerifiedKey, type VerifyDeps } from './cycle/verify.ts';

const prefix = 'sk-';
const point = 'key.call_prefix';

/** The form that calls accept where the gateway returns keys without prefix: with `sk-`, or `none` for the returned form. */
type CallPrefix = 'sk-' | 'none';

export type FormsDeps = VerifyDeps & {
  readonly ask: (form: Secret, signal: AbortSignal) => Promise<ModelAnswer>;
  readonly register: (plaintext: string) => Secret;
  readonly points: () => Promise<readonly LearnedPoint[]>;
  readonly learn: (points: readonly LearnedPoint[]) => Promise<unknown>;
};

/** The forms that calls may accept, the known one first. */
const formsOf = (
  key: Secret,
  register: FormsDeps['register'],
  known: string | undefined,
): readonly (readonly [CallPrefix, Secret])[] => {
  const plaintext = key.reveal();
  if (plaintext.startsWith(prefix)) return [];
  const bare = ['none', key] as const;
  const prefixed = [prefix, register(`${prefix}${plaintext}`)] as const;
  return known === prefix ? [prefixed, bare] : [bare, prefixed];
};

/**
 * Verifies a new key. A key without prefix is tried as returned and with the prefix, and the form that works is recorded. The result
 * contains the form that sinks must receive. @throws what `verifyKey` throws
 */
export const verifyForms = async (
  key: Secret,
  { ask, register, points, learn, ...deps }: FormsDeps,
): Promise<VerifiedKey> => {
  const known = (await points()).find((one) => one.point === point)?.value;
  const forms = formsOf(key, register, known);
  if (forms.length === 0) return verifyKey((signal) => ask(key, signal), deps);
  let accepted: readonly [CallPrefix, Secret] | undefined;
  const verified = await verifyKey(async (signal) => {
    let last: ModelAnswer | undefined;
    for (const form of forms) {
      const answer = await ask(form[1], signal);
      accepted = form;
      // Only a refusal indicates that another form may be accepted.
      if (answer.verdict !== 'refused') return answer;
      last ??= answer;
    }
    return last ?? ask(key, deps.signal);
  }, deps);
  const [which, form] = accepted ?? ['none', key];
  if (known !== which)
    await learn([
      {
        point,
        value: which,
        evidence: `a new key was returned without the prefix ${prefix}; ${verified.evidence} ${which === prefix ? `with the prefix` : 'without it'}`,
        how: 'probe',
      },
    ]);
  return { ...verified, key: form };
};
