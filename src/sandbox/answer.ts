import type { Answer } from './answer-shape.ts';
import { toJson, type Json } from './exact-json.ts';
import type { Choices } from './variants.ts';

export type { Answer } from './answer-shape.ts';

export const json = (
  status: number,
  value: Json,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
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

export const unknownRoute = (variants: Choices): Answer =>
  envelope(404, { en: 'no such endpoint', zh: '接口不存在' }[variants.message_language]);

export const wrongMethod = (variants: Choices, allowed: readonly string[]): Answer => {
  const message = { en: 'method not allowed', zh: '请求方法不被允许' }[variants.message_language];
  return json(405, { success: false, message, data: null }, { allow: allowed.join(', ') });
};

export const badBody = (variants: Choices, status: 400 | 413): Answer =>
  envelope(
    status,
    { en: 'the body is not valid JSON, or too long', zh: '请求体无效' }[variants.message_language],
  );

export const notAllowed = (variants: Choices, kind: 'key' | 'scope'): Answer => {
  const texts = {
    key: { en: 'invalid access token', zh: '无权进行此操作，access token 无效' },
    scope: { en: 'this key lacks the scope for the operation', zh: '该密钥没有此操作的权限' },
  };
  const codes = { key: 'invalid_api_key', scope: 'insufficient_scope' };
  const code = variants.authentication_code === 'present' ? codes[kind] : undefined;
  return envelope(variants.authentication_errors[kind], texts[kind][variants.message_language], code);
};

export const missingKey = ({ missing_id: missing, message_language: language }: Choices): Answer =>
  envelope(missing.status, missing[language]);

/** Only the status, without a body. */
export const tooMany: Answer = { status: 429, headers: {}, body: '' };

/** Errors of the model endpoints (docs/gateway.md G9.2). */
export const modelError = (status: number, type: string, code: string, message: string): Answer =>
  json(status, { error: { message, type, code } });
