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

const withoutTags = (body: string): string =>
  (/<title[^>]*>([\s\S]*?)<\/title>/i.exec(body)?.[1] ?? body)
    .replace(/<(script|style)[\s\S]*?(<\/\1>|$)/gi, ' ')
    .replace(/<[^>]*>/g, ' ');

/** Redacts before cutting, since half a secret is no longer recognized. */
export const gatewayTerms = (body: string, redact: (text: string) => string): GatewayTerms => {
  const json = fromJson(body);
  const shown = redact(json?.message ?? withoutTags(body))
    // oxlint-disable-next-line no-control-regex -- a terminal would interpret them
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  return {
    message: shown.length > longest ? `${shown.slice(0, longest)}…` : shown,
    code: json?.code,
    refused: json?.refused ?? false,
  };
};

/** `: “…”`, or empty when the gateway sent no message. */
export const quoted = (message: string): string => (message === '' ? '' : `: “${message}”`);
