import type { Answer } from './answer.ts';

/** What was asked, and the answer that is being given. */
export type Asked = {
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly answer: Pick<Answer, 'signal' | 'progress' | 'onRun'>;
};
