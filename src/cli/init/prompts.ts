import type { Streams } from '../../core/index.ts';
import { answerProblem, questionNames, questions, type InitAnswers, type Question } from './answers.ts';

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
    const answer = await text({
      message: label,
      placeholder: offered ?? example,
      ...(offered === undefined ? {} : { initialValue: offered }),
      validate: (value = '') => {
        const problem = answerProblem(question, value.trim());
        return problem === undefined ? undefined : `It ${problem}.`;
      },
      input,
      output,
    });
    if (isCancel(answer)) return undefined;
    answers[question] = answer.trim();
  }
  return answers as InitAnswers;
};

/** Undefined when the person cancels. */
export const confirm = async (message: string, { input, output }: Streams): Promise<boolean | undefined> => {
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message, input, output });
  return isCancel(answer) ? undefined : answer;
};
