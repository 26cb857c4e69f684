import { hasCode, isFault, messageOf, type Clock } from '../../core/index.ts';
import type { ApiKey, Gateway, KeyPatch } from '../../gateway/index.ts';

export type ProbeDeps = {
  readonly gateway: Pick<Gateway, 'readKey' | 'patchKey' | 'listKeys'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

export type ProbeStep =
  | { readonly state: 'done'; readonly key: ApiKey }
  /** The gateway refused, and the key is unchanged. */
  | { readonly state: 'refused'; readonly key: ApiKey; readonly message: string }
  /** The gateway accepted, or did not answer, and the key never showed the change. */
  | { readonly state: 'unseen'; readonly key: ApiKey };

/** Milliseconds before each further read while the key does not show the written value. */
const pauses = [500, 1500, 4000] as const;

/** A write without an answer may be sent again, because it is idempotent. */
const maxTries = 3;

const refused = (error: unknown): boolean =>
  hasCode(error, 'gateway-refused') || hasCode(error, 'gateway-http-error');

/** The outcome is unknown; a read determines it. */
const outcomeOpen = (error: unknown): boolean =>
  isFault(error) &&
  (hasCode(error, 'gateway-timeout') ||
    hasCode(error, 'gateway-connection-lost') ||
    hasCode(error, 'gateway-server-error') ||
    hasCode(error, 'gateway-answer-unreadable') ||
    hasCode(error, 'gateway-answer-too-large'));

/**
 * Writes some fields and reads until `seen` proves that the write took effect: otherwise, fields omitted from a write that never arrived would look
 * kept. @throws any other error of the gateway client
 */
export const probeStep = async (
  patch: KeyPatch,
  seen: (key: ApiKey) => boolean,
  { gateway, clock, signal }: ProbeDeps,
): Promise<ProbeStep> => {
  for (let attempt = 1; ; attempt += 1) {
    let no: string | undefined;
    let open = false;
    try {
      await gateway.patchKey(patch, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!refused(error) && !outcomeOpen(error)) throw error;
      if (refused(error)) no = messageOf(error);
      open = outcomeOpen(error);
    }
    let key = await gateway.readKey(patch.id, { signal });
    for (const pause of no === undefined ? pauses : []) {
      if (seen(key)) break;
      await clock.wait(pause, signal);
      key = await gateway.readKey(patch.id, { signal });
    }
    if (seen(key)) return { state: 'done', key };
    if (no !== undefined) return { state: 'refused', key, message: no };
    if (!open || attempt === maxTries) return { state: 'unseen', key };
  }
};
