import type { Answer } from './answer-shape.ts';
import { toJson, type Json } from './exact-json.ts';
import type { Choices } from './variants.ts';

export type { Answer } from './answer-shape.ts';

export const json = (status: number, value: Json): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: toJson(value),
});

export const ok = (data: Json): Answer => json(200, { success: true, message: '', data });

export const csv = (name: string, body: Iterable<string>): Answer => ({
  status: 200,
  headers: {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  },
  body,
  compressible: true,
});

/** The gateway answers in two languages. */
export type Message = { readonly en: string; readonly zh: string };

const envelope = (status: number, message: string, code?: string): Answer =>
  json(status, { success: false, message, ...(code === undefined ? {} : { code }), data: null });

export const refused = (variants: Choices, message: Message): Answer =>
  envelope(variants.business_errors, message[variants.message_language]);

const texts = {
  route: { en: 'no such endpoint', zh: '接口不存在' },
  method: { en: 'method not allowed', zh: '请求方法不被允许' },
  body: { en: 'the body is not valid JSON, or too long', zh: '请求体无效' },
  key: { en: 'invalid access token', zh: '无权进行此操作，access token 无效' },
  scope: { en: 'this key lacks the scope for the operation', zh: '该密钥没有此操作的权限' },
} as const satisfies Record<string, Message>;

export const unknownRoute = ({ message_language: language }: Choices): Answer =>
  envelope(404, texts.route[language]);

export const wrongMethod = ({ message_language: language }: Choices, allowed: readonly string[]): Answer => {
  const answer = envelope(405, texts.method[language]);
  return { ...answer, headers: { ...answer.headers, allow: allowed.join(', ') } };
};

export const badBody = ({ message_language: language }: Choices, status: 400 | 413): Answer =>
  envelope(status, texts.body[language]);

export const notAllowed = (variants: Choices, kind: 'key' | 'scope'): Answer => {
  const code = variants.authentication_code?.[kind];
  return envelope(variants.authentication_errors[kind], texts[kind][variants.message_language], code);
};

export const missingKey = ({ missing_id: missing, message_language: language }: Choices): Answer =>
  envelope(missing.status, missing[language]);

/** Only the status, without a body. */
export const tooMany: Answer = { status: 429, headers: {}, body: '' };

/** Errors of the model endpoints (docs/gateway.md G9.2). */
export const modelError = (status: number, type: string, code: string, message: string): Answer =>
  json(status, { error: { message, type, code } });
