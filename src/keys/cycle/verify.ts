import { countText, fault, type Clock, type Secret } from '../../core/index.ts';
import type { ModelAnswer } from '../../gateway/index.ts';

export type VerifyDeps = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds for which a refusal must last before the key counts as bad: a new key works at once, but a cache may not know it yet. */
  readonly timeout?: number;
};

export type VerifiedKey = {
  readonly verdict: 'works' | 'no-channel';
  /** Model, status, tokens and attempts, as a sentence. */
  readonly evidence: string;
  /** The form of the key that calls accept, if it differs from the returned one. */
  readonly key?: Secret | undefined;
};

const defaultTimeout = 90_000;
const firstPause = 1000;
const longestPause = 20_000;

const called = ({ kind, model, status }: ModelAnswer): string =>
  `POST /v1/${kind} with ${model} ${status === undefined ? 'got no answer' : `answered ${status}`}`;

const messageBy = ({ message }: ModelAnswer): string => (message === '' ? '' : `: ${message}`);

const evidenceOf = (answer: ModelAnswer, tries: number, spent: number): string => {
  const tokens = answer.tokens === undefined ? '' : `, ${countText(answer.tokens, 'token')}`;
  const after = tries === 1 ? '' : `, at try ${tries} after ${Math.round(spent / 1000)} s`;
  const meaning =
    answer.verdict === 'no-channel'
      ? `: no channel serves the model, an answer that only a valid key gets`
      : '';
  return `${called(answer)}${tokens}${after}${meaning}`;
};

const unclear = (answer: ModelAnswer): Error => {
  const message = `the key could not be verified: ${called(answer)}${messageBy(answer)}`;
  const wait = answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter };
  return answer.passing
    ? fault('key-verify-unclear', message, wait)
    : fault('key-verify-unclear', message, {
        retryHelps: false,
        advice: 'set a model under `verify` that the key may call at this endpoint',
      });
};

/**
 * Calls until an answer proves that the key works or reaches a model without a channel. A refusal that may pass counts only if it persists for the
 * timeout after the first one; any other counts at once. An unclear answer that may pass is retried for as long. @throws Fault key-verify-refused:
 * the key is bad; key-verify-unclear: nothing is known; the signal's reason
 */
export const verifyKey = async (
  call: (signal: AbortSignal) => Promise<ModelAnswer>,
  { clock, signal, timeout = defaultTimeout }: VerifyDeps,
): Promise<VerifiedKey> => {
  const start = clock.now();
  let refusedSince: number | undefined;
  let pause = firstPause;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    const answer = await call(signal);
    const now = clock.now();
    const { verdict } = answer;
    if (verdict === 'works' || verdict === 'no-channel')
      return { verdict, evidence: evidenceOf(answer, tries, now - start) };
    if (verdict === 'refused') refusedSince ??= now;
    const left = (verdict === 'refused' ? (refusedSince ?? now) : start) + timeout - now;
    if (verdict === 'refused' && (left <= 0 || !answer.passing))
      throw fault(
        'key-verify-refused',
        `the key is refused: ${called(answer)} after ${tries} ${tries === 1 ? 'try' : 'tries'} in ${Math.round((now - start) / 1000)} s${messageBy(answer)}`,
      );
    const asked = answer.retryAfter ?? 0;
    if (verdict !== 'refused' && (left <= 0 || asked > left || !answer.passing)) throw unclear(answer);
    await clock.wait(Math.min(Math.max(pause, asked), left), signal);
    pause = Math.min(pause * 2, longestPause);
  }
};
