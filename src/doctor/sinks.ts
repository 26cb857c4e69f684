import { fault, shellWord } from '../core/index.ts';
import type { DoctorCheck } from './doctor-view.ts';
import { failed, notYet, passed } from './results.ts';
import type { DeclaredSink } from './deps.ts';

/** The most services to list separately; beyond that, only the number of working sinks is shown. */
const maxTold = 20;

/** Checks each sink, leaving nothing behind. */
export const checkSinks = async (
  account: string,
  sinksOf: (account: string, signal: AbortSignal) => Promise<readonly DeclaredSink[]>,
  signal: AbortSignal,
): Promise<readonly DoctorCheck[]> => {
  const checks: DoctorCheck[] = [];
  const well: string[] = [];
  try {
    for (const { job, service, applies, sink, deadKey } of await sinksOf(account, signal)) {
      const about = `sink of ${service} (${job})`;
      const problem = (error: unknown): DoctorCheck =>
        applies ? failed(about, error) : notYet(failed(about, error), job);
      try {
        const made = sink();
        const problems = await made.problems(signal);
        const dead = await deadKey?.(made);
        if (dead !== undefined)
          checks.push(
            failed(
              about,
              fault('sink-refused', dead, {
                advice: `\`tollkeeper keys rotate ${shellWord(service)}\` delivers a working key`,
              }),
            ),
          );
        else if (problems.length === 0) well.push(`${about}: ${made.describe()}`);
        for (const { message, advice } of problems)
          checks.push(problem(fault('sink-refused', message, { advice })));
      } catch (error) {
        signal.throwIfAborted();
        checks.push(problem(error));
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    checks.push(failed(`sinks of ${account}`, error));
  }
  if (well.length > maxTold)
    return [...checks, passed(`sinks of ${account}`, `${well.length} sinks are ready to receive a key`)];
  return [...checks, ...well.map((one) => passed(one, 'is ready to receive a key'))];
};
