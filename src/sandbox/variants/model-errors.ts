import type { Answer } from '../answer-shape.ts';
import { toJson } from '../exact-json.ts';
import type { Request } from '../request.ts';
import type { Point } from './point.ts';

const modelPath = /^\/(?:music|imgjob|imgedit|v1)\//u;

type Problem = { readonly message: string; readonly type: string; readonly code: string };

const problemOf = (answer: Answer): Problem | undefined => {
  if ((answer.status !== 400 && answer.status !== 413) || typeof answer.body !== 'string') return undefined;
  return (JSON.parse(answer.body) as { readonly error?: Problem }).error;
};

/** The endpoint's own result, if it has a code (docs/gateway.md G10.7, G11.5). */
const ownFields = ({ path }: Request, { message, code }: Problem) => {
  if (path.startsWith('/imgjob/submit/')) return { code: 4, description: message, result: '' };
  return path.startsWith('/music/') ? { code, message, data: '' } : undefined;
};

const written = (answer: Answer, status: number, value: Parameters<typeof toJson>[0]): Answer => ({
  ...answer,
  status,
  body: toJson(value),
});

export const modelErrors = {
  values: ['error-object', 'typed-error', 'result-fields', 'envelope', 'html'],
  default: 'error-object',
  meaning:
    'A bad request to a model endpoint: an error object, one with type error, fields of its own result, an envelope under HTTP 200, or a page.',
  statement: 'G9.6',
  answer: (answer, value, { request }) => {
    const problem = modelPath.test(request.path) ? problemOf(answer) : undefined;
    if (problem === undefined) return answer;
    const { message, type } = problem;
    if (value === 'typed-error')
      return written(answer, answer.status, { type: 'error', error: { type, message } });
    if (value === 'envelope') return written(answer, 200, { success: false, message, data: null });
    const own = value === 'result-fields' ? ownFields(request, problem) : undefined;
    if (own !== undefined) return written(answer, 200, own);
    return value === 'html'
      ? {
          ...answer,
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: '<!doctype html><html><head><title>400 Bad Request</title></head><body>nginx</body></html>',
        }
      : answer;
  },
} as const satisfies Point;
