import { fillArgument, type SinkNames } from '../fill.ts';
import { runCommand, type CommandDeps } from './run-command.ts';
import type { CommandRequest } from './settings.ts';

export const notifiedOf = ({ account, service }: SinkNames): Record<string, string> => ({
  TOLLKEEPER_ACCOUNT: account,
  TOLLKEEPER_SERVICE: service,
});

/** Notifies the consumer of its new key; the program receives no secret. @throws Fault command-failed, sink-refused */
export const runThen = async (
  order: CommandRequest,
  of: SinkNames,
  deps: CommandDeps,
  signal: AbortSignal,
): Promise<void> => {
  const argv = order.argv.map((one) => fillArgument(one, of));
  await runCommand({ ...order, argv, variables: notifiedOf(of) }, deps, signal);
};
