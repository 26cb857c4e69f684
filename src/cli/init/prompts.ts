import type { Streams } from '../../core/index.ts';
import {
  answerAdvice,
  answerProblem,
  questionNames,
  questions,
  type InitAnswers,
  type Question,
} from './answers.ts';

/** Asks for what is not known yet. Returns undefined when the person cancels. */
export const askQuestions = async (
  known: Partial<InitAnswers>,
  usual: (question: Question, known: Partial<InitAnswers>) => string | undefined,
  { input, output }: Streams,
): Promise<InitAnswers | undefined> => {
  const { isCancel, text } = await import('@clack/prompts');
  const answers: Partial<Record<Question, string>> = { ...known };
  for (const question of questionNames) {
    if (answers[question] !== undefined) continue;
    const { label, example } = questions[question];
    const offered = usual(question, answers);
    /** What is typed, or the default for an empty line. */
    const answered = (typed: string): string => typed.trim() || (offered ?? '');
    const answer = await text({
      // An example in the field looks like a default.
      message: offered === undefined ? `${label}, for example ${example}` : `${label} [${offered}]`,
      ...(offered === undefined ? {} : { defaultValue: offered }),
      validate: (value = '') => {
        const given = answered(value);
        const problem = answerProblem(question, given);
        if (problem === undefined) return undefined;
        const advice = answerAdvice(question, given);
        return advice === undefined ? `It ${problem}.` : `It ${problem}: ${advice}`;
      },
      input,
      output,
    });
    if (isCancel(answer)) return undefined;
    answers[question] = answered(answer);
  }
  return answers as InitAnswers;
};

/** Undefined when the person cancels. */
export const confirm = async (message: string, { input, output }: Streams): Promise<boolean | undefined> => {
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message, input, output });
  return isCancel(answer) ? undefined : answer;
};
