import { fault } from '../../core/index.ts';
import type { HttpAnswer } from '../../http/index.ts';
import type { Endpoint } from '../endpoint.ts';
import { gatewayTerms, quoted, type GatewayTerms } from '../gateway-terms.ts';
import { createKeyFilter } from './key-filter.ts';
import { networkFault } from '../network-faults.ts';
import { denialIn, nameOf } from '../refusals.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const declaredOtherwise = /\b(json|html|xml)\b/i;

/** JSON and markup by their first bytes; a title line before a CSV header may begin with a bracket. */
const beginsOtherwise = /^(\{|<|\[\s*([{\]]|$))/;

/**
 * Whether an answer is CSV, by its content type and its first bytes: either identifies JSON and HTML. `undecided` while
 * only a byte-order mark and white space have arrived.
 */
export const sniff = (contentType: string, start: Uint8Array): 'csv' | 'other' | 'undecided' => {
  const bytes = Buffer.from(start);
  if (
    bytes.byteLength < byteOrderMark.byteLength &&
    byteOrderMark.subarray(0, bytes.byteLength).equals(bytes)
  )
    return 'undecided';
  const text = (bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes)
    .toString('latin1')
    .trimStart();
  if (text === '') return 'undecided';
  return declaredOtherwise.test(contentType) || beginsOtherwise.test(text) ? 'other' : 'csv';
};

export type ExportBody = {
  readonly contentType: string;
  /**
   * The CSV, to be read once, with fingerprints in place of keys; may be empty. A connection that breaks off while reading is thrown as a catalogue error.
   */
  readonly body: AsyncIterable<Uint8Array>;
};

/** Bytes that are examined to distinguish CSV from other content, and that may be quoted. */
const sniffLimit = 16 * 1024;

type Beginning = { readonly pieces: Uint8Array[]; readonly rest: AsyncIterator<Uint8Array> };

const bytesOf = (beginning: Beginning): Buffer => Buffer.concat(beginning.pieces).subarray(0, sniffLimit);

/** Reads until the bytes so far are enough, the body ends, or the limit is exceeded. */
const readUntil = async (beginning: Beginning, enough: (bytes: Buffer) => boolean): Promise<void> => {
  for (let bytes = bytesOf(beginning); bytes.byteLength < sniffLimit && !enough(bytes);) {
    const next = await beginning.rest.next();
    if (next.done === true) return;
    beginning.pieces.push(next.value);
    bytes = bytesOf(beginning);
  }
};

async function* whole(
  { pieces, rest }: Beginning,
  endpoint: Endpoint,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pieces.splice(0);
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } catch (error) {
    throw networkFault(error, endpoint);
  } finally {
    await rest.return?.();
  }
}

/** No key of an export reaches the disk, the warehouse or a message. */
async function* withoutKeys(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const filter = createKeyFilter();
  for await (const chunk of body) {
    const kept = filter.next(chunk);
    if (kept.length > 0) yield kept;
  }
  const last = filter.end();
  if (last.length > 0) yield last;
}

/** The gateway's message in place of CSV, as far as it is readable. */
const messageInstead = async (
  beginning: Beginning,
  redact: (text: string) => string,
): Promise<GatewayTerms> => {
  try {
    await readUntil(beginning, () => false);
  } catch {
    // Quote what has arrived so far.
  } finally {
    await beginning.rest.return?.();
  }
  return gatewayTerms(new TextDecoder().decode(bytesOf(beginning)), redact);
};

/**
 * The CSV of an answer, once its first bytes show that it is CSV; an empty body passes.
 * @throws Fault `gateway-refused` for an envelope with `success: false`, `gateway-key-refused` or
 * `gateway-scope-missing` for a known code; `export-not-csv` for anything else
 */
export const openExportBody = async (
  answer: HttpAnswer,
  endpoint: Endpoint,
  redact: (text: string) => string,
): Promise<ExportBody> => {
  const contentType = answer.headers['content-type'] ?? '';
  const beginning: Beginning = { pieces: [], rest: answer.body[Symbol.asyncIterator]() };
  await readUntil(beginning, (bytes) => sniff(contentType, bytes) !== 'undecided');
  const verdict = sniff(contentType, bytesOf(beginning));
  const blank = verdict === 'undecided' && bytesOf(beginning).byteLength === sniffLimit;
  if (verdict !== 'other' && !blank) return { contentType, body: withoutKeys(whole(beginning, endpoint)) };
  const terms = await messageInstead(beginning, redact);
  const denial = denialIn(terms, endpoint);
  if (denial !== undefined) throw denial;
  const quotation = quoted(terms.message);
  const advice = `the quoted message, if any, is from the gateway; it may mean that admin_key is revoked or lacks the scope ${endpoint.scope}`;
  if (terms.refused)
    throw fault(
      'gateway-refused',
      `the gateway refused ${nameOf(endpoint)}, which needs the scope ${endpoint.scope}, and sent no CSV${quotation}`,
      // It may only be busy.
      { advice, retryHelps: true },
    );
  const type = contentType === '' ? '' : ` (${redact(contentType).slice(0, 60)})`;
  throw fault('export-not-csv', `${nameOf(endpoint)} did not answer with CSV${type}${quotation}`, {
    advice,
  });
};
