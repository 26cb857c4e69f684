import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fault, messageOf, systemCode, type Deps } from '../../core/index.ts';
import { startMailCatcher } from '../../demo/index.ts';

/** A mail server on loopback that stores mails as files. */
export type MailFolder = AsyncDisposable & { readonly smtpUrl: string };

/** Writes each mail to the folder as `1.eml`, `2.eml` and so on, and names it on stderr. @throws Fault path-unwritable, port-in-use */
export const catchMails = async (directory: string, port: number, deps: Deps): Promise<MailFolder> => {
  const folder = resolve(deps.cwd, directory);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    const reason = systemCode(error) ?? messageOf(error);
    throw fault('path-unwritable', `cannot create the folder ${folder} (${reason})`, { cause: error });
  });
  const catcher = await startMailCatcher({
    port,
    keep: async ({ number, recipients, bytes }) => {
      const path = join(folder, `${number}.eml`);
      await writeFile(path, bytes);
      deps.stderr.write(`mail to ${recipients.join(', ')}: ${relative(deps.cwd, path)}\n`);
    },
  }).catch((error: unknown) => {
    if (systemCode(error) !== 'EADDRINUSE') throw error;
    throw fault('port-in-use', `port ${port} of 127.0.0.1 is in use by another program`, { cause: error });
  });
  return {
    smtpUrl: `smtp://127.0.0.1:${catcher.port}`,
    [Symbol.asyncDispose]: () => catcher[Symbol.asyncDispose](),
  };
};
