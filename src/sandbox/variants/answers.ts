import type { Answer } from '../answer-shape.ts';
import { toJson } from '../exact-json.ts';
import { point } from './point.ts';

const modelPath = /^\/(?:music|imgjob|imgedit|v1)\//u;

type Problem = { readonly message: string; readonly type: string; readonly code: string };

const problemOf = (answer: Answer): Problem | undefined => {
  if ((answer.status !== 400 && answer.status !== 413) || typeof answer.body !== 'string') return undefined;
  return (JSON.parse(answer.body) as { readonly error?: Problem }).error;
};

const written = (answer: Answer, status: number, value: Parameters<typeof toJson>[0]): Answer => ({
  ...answer,
  status,
  body: toJson(value),
});

type Rewrite = (answer: Answer, problem: Problem, path: string) => Answer;

const rewrites = {
  'error-object': (answer) => answer,
  'typed-error': (answer, { type, message }) =>
    written(answer, answer.status, { type: 'error', error: { type, message } }),
  // The endpoint's own result, if it has a code (docs/gateway.md G10.7, G11.5).
  'result-fields': (answer, { message, code }, path) => {
    if (path.startsWith('/imgjob/submit/'))
      return written(answer, 200, { code: 4, description: message, result: '' });
    return path.startsWith('/music/') ? written(answer, 200, { code, message, data: '' }) : answer;
  },
  envelope: (answer, { message }) => written(answer, 200, { success: false, message, data: null }),
  html: (answer) => ({
    ...answer,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><html><head><title>400 Bad Request</title></head><body>nginx</body></html>',
  }),
} satisfies Record<string, Rewrite>;

/** What the contract leaves open about refusals and the transport (docs/gateway.md G2, G3, G9.6). */
export const answerPoints = {
  business_errors: point('G3.2', { 'http-200': 200, 'http-400': 400 })(
    'HTTP status of a refused admin request; the envelope says success false either way.',
  ),
  message_language: point('G3.2', ['en', 'zh'])('Language of the messages of admin errors.'),
  authentication_errors: point('G2.7', {
    401: { key: 401, scope: 403 },
    403: { key: 403, scope: 403 },
    'http-200': { key: 200, scope: 200 },
  })('A bad Admin Key: 401 (and 403 for a missing scope), always 403, or HTTP 200 with success false.'),
  authentication_code: point('G2.7', {
    absent: undefined,
    present: { key: 'invalid_api_key', scope: 'insufficient_scope' },
  })('Authentication errors carry a code beside the message.'),
  rate_limit: point('G3.3', { off: false, on: true })(
    '180 requests in 180 s, key writes 20 in 20 min; then 429, empty body, no Retry-After.',
  ),
  compression: point('G6.2', { gzip: true, none: false })(
    'Exports are compressed when the client accepts gzip.',
  ),
  model_errors: point('G9.6', rewrites, {
    answer: (answer, rewrite: Rewrite, { request }) => {
      const problem = modelPath.test(request.path) ? problemOf(answer) : undefined;
      return problem === undefined ? answer : rewrite(answer, problem, request.path);
    },
  })(
    'A bad request to a model endpoint: an error object, one with type error, fields of its own result, an envelope under HTTP 200, or a page.',
  ),
};
