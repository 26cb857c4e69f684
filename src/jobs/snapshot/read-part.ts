import { isFault, type Fault, type FaultCode } from '../../core/index.ts';

/** One part of a snapshot: what was read, or why the gateway does not show it, or why it could not be read this time. */
export type Part<T> =
  | { readonly state: 'read'; readonly value: T }
  | { readonly state: 'refused' | 'failed'; readonly fault: Fault };

/**
 * Answers of a gateway that gives the Admin Key no access; which one it gives for a missing scope differs, and some say
 * no more than that it refuses.
 */
const refusals: readonly FaultCode[] = ['gateway-scope-missing', 'gateway-key-refused', 'gateway-refused'];

/** @throws whatever is no fault of the catalogue, the reason of an aborted signal among them. */
export const readPart = async <T>(read: () => Promise<T>, signal: AbortSignal): Promise<Part<T>> => {
  try {
    return { state: 'read', value: await read() };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    return { state: refusals.includes(error.code) ? 'refused' : 'failed', fault: error };
  }
};

export const valueOf = <T>(part: Part<T>): T | undefined => (part.state === 'read' ? part.value : undefined);
