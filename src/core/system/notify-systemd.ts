import { execFile } from 'node:child_process';
import type { Deps } from '../deps.ts';
import type { Log } from '../logging/log.ts';
import { messageOf } from '../fault.ts';

/**
 * Notifies systemd, which waits for READY=1 of a service of `Type=notify`. Does nothing where systemd did not start the
 * program: NOTIFY_SOCKET is then not set. `systemd-notify` sends it, since Node has no sockets of that kind.
 */
export const notifySystemd = async (
  state: 'READY=1' | 'STOPPING=1',
  { env }: Pick<Deps, 'env'>,
  log: Log,
): Promise<void> => {
  const { NOTIFY_SOCKET, PATH } = env;
  if (NOTIFY_SOCKET === undefined || NOTIFY_SOCKET === '') return;
  const error = await new Promise<Error | null>((resolve) => {
    execFile('systemd-notify', [state], { env: { NOTIFY_SOCKET, PATH }, timeout: 5000 }, resolve);
  });
  if (error !== null)
    log.warn(`could not notify systemd: ${state}`, {
      error: messageOf(error),
      advice: 'install systemd-notify, or set Type=simple in the unit',
    });
};
