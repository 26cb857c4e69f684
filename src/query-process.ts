import { writeFileSync } from 'node:fs';
import { answerQueries, type QueryRequest } from './warehouse/index.ts';

// The process that plans and runs the SQL of reports. Its parent ends it with SIGKILL when a query takes too long or
// too much memory; statements of the engine cannot all be interrupted.

/** Where memory runs out, the kernel ends this process and not the program. */
const offerToKernel = (): void => {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux, or not allowed.
  }
};

offerToKernel();
// The parent decides what a signal to the process group means.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
// Threads of the engine can still be at work, and a normal exit would wait for them.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const answers = await answerQueries();
process.on('message', (request: QueryRequest) => {
  void answers(request).then((reply) => process.send?.(reply));
});
process.send?.('ready');
