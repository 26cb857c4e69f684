import { z } from 'zod';
import { numberText, parseJson } from './json.ts';

/** The content of an error body, in any of the common forms. */
export type GatewayTerms = {
  /** The gateway's own message, redacted and shortened; may be empty. For people: never matched on. */
  readonly message: string;
  /** A machine-readable code in lower case, where there is one. */
  readonly code: string | undefined;
  /** Whether it is an envelope with `success: false` (docs/gateway.md G3.2). */
  readonly refused: boolean;
};

const longest = 200;

const text = z.string().optional().catch(undefined);
const code = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'string' ? value : numberText(value)));
const errorBody = z.looseObject({
  success: z.unknown().optional(),
  message: text,
  msg: text,
  detail: text,
  description: text,
  code,
  error: z
    .union([z.string(), z.looseObject({ message: text, type: text, code })])
    .optional()
    .catch(undefined),
});

const fromJson = (body: string): GatewayTerms | undefined => {
  try {
    const read = errorBody.safeParse(parseJson(body));
    if (!read.success) return undefined;
    const { error, ...top } = read.data;
    const inner = typeof error === 'string' ? { message: error, type: undefined, code: undefined } : error;
    return {
      message: inner?.message ?? top.message ?? top.msg ?? top.detail ?? top.description ?? '',
      code: (inner?.code ?? top.code ?? inner?.type)?.toLowerCase(),
      refused: top.success === false,
    };
  } catch {
    return undefined;
  }
};

/** Characters of an answer that are looked at for a message. */
const searchLimit = 16 * 1024;

/** Where the text of a page begins and ends: its title, where it has one. */
const titleIn = (body: string, lower: string): string | undefined => {
  const tag = lower.indexOf('<title');
  const start = tag === -1 ? -1 : lower.indexOf('>', tag);
  const end = start === -1 ? -1 : lower.indexOf('</title', start);
  return end === -1 ? undefined : body.slice(start + 1, end);
};

/** The text outside of tags, scripts and styles, in linear time. */
const withoutTags = (body: string): string => {
  const lower = body.toLowerCase();
  const title = titleIn(body, lower);
  if (title !== undefined) return title;
  const parts: string[] = [];
  for (let at = 0; at < body.length;) {
    const tag = body.indexOf('<', at);
    parts.push(body.slice(at, tag === -1 ? body.length : tag));
    if (tag === -1) break;
    const hidden = ['script', 'style'].find((name) => lower.startsWith(name, tag + 1));
    const from = hidden === undefined ? tag : lower.indexOf(`</${hidden}`, tag);
    const end = from === -1 ? -1 : body.indexOf('>', from);
    // A tag that never ends is text; a script that never ends hides the rest.
    if (end === -1 && hidden === undefined) parts.push(body.slice(tag));
    if (end === -1) break;
    at = end + 1;
  }
  return parts.join(' ');
};

/** Redacted before it is shortened, since half a secret is no longer found: what a cut may have halved is left out. */
const startOf = (text: string, redact: (text: string) => string): string =>
  text.length <= searchLimit
    ? redact(text)
    : redact(text.slice(0, searchLimit)).slice(0, searchLimit - longestSecret);

/** Characters of the longest form of a secret that a gateway could quote. */
const longestSecret = 512;

/** The gateway's message in an answer. `redact` is applied before anything is cut from it. */
export const gatewayTerms = (body: string, redact: (text: string) => string): GatewayTerms => {
  const json = fromJson(body);
  const start = startOf(json?.message ?? body, redact);
  const shown = (json === undefined ? withoutTags(start) : start)
    // A terminal would interpret them.
    .replace(/[\s\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  return {
    message: shown.length > longest ? `${shown.slice(0, longest)}…` : shown,
    code: json?.code,
    refused: json?.refused ?? false,
  };
};

/** `: “…”`, or empty when the gateway sent no message. */
export const quoted = (message: string): string => (message === '' ? '' : `: “${message}”`);
