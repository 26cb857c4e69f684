import type { z } from 'zod';
import type { Refusal, TaskId } from '../endpoint.ts';
import { object, text, whole } from '../fields.ts';
import type { Served } from '../read-answer.ts';

/** docs/gateway.md G10.7 */
export const musicSubmission = {
  answer: object({ code: text, message: text, data: text }),
  essential: ['code'],
  refusal: ({
    code,
    message,
  }: Served<{ code: string | null; message: string | null }>): Refusal | undefined =>
    code === 'success' ? undefined : { code: code ?? '', message: message ?? '' },
  task: ({ data }: Served<{ data: string | null }>): TaskId | undefined =>
    data == null || data === '' ? undefined : { kind: 'music', id: data },
};

/** docs/gateway.md G11.10: what the codes mean that are no error. */
export const submissionCodes: Readonly<Record<number, string>> = {
  1: 'accepted',
  21: 'window waiting',
  22: 'queued',
  23: 'queue full',
};

const imageAnswer = object({
  code: whole,
  description: text,
  result: text,
  properties: object({}).nullish(),
});

type ImageAnswer = Served<z.output<typeof imageAnswer>>;

/** docs/gateway.md G11.5 */
export const imageSubmission = {
  answer: imageAnswer,
  essential: ['code'],
  /** A full queue has taken nothing (G11.10); the other codes name a task. */
  refusal: ({ code, description, result }: ImageAnswer): Refusal | undefined => {
    const meaning = code == null ? undefined : submissionCodes[code];
    const hasTask = result != null && result !== '';
    // An accepted one without a task is charged all the same: its deviation is named.
    if (code === 1 || (meaning !== undefined && code !== 23 && hasTask)) return undefined;
    return {
      code: `${code ?? ''}${meaning === undefined ? '' : `, ${meaning}`}`,
      message: description ?? '',
    };
  },
  task: ({ result }: ImageAnswer): TaskId | undefined =>
    result == null || result === '' ? undefined : { kind: 'image', id: result },
};
