import { databaseUrlOf, fault, type Deps, type Fault } from '../../core/index.ts';
import { configDisk } from './disk.ts';
import { replaceReferences } from './references.ts';
import { literalSecret, registerSecret } from './resolve.ts';

/** The argument is not repeated: its password may be anywhere. */
const unusable = (reason: string, advice: string): Fault =>
  fault('wrong-use', `the URL of the database ${reason}`, { advice });

/**
 * The URL of a database in an argument of a command, with its references replaced; its password is registered for redaction.
 * @throws fault wrong-use
 */
export const readDatabaseArgument = async (
  written: string,
  { env, secrets }: Pick<Deps, 'env' | 'secrets'>,
): Promise<string> => {
  if (literalSecret(written, 'password'))
    throw unusable(
      'contains a plaintext password, which every user of this machine can see',
      "put it in an environment variable, and write 'postgres://user:${NAME}@host:5432/database' in single quotes",
    );
  const deps = { env, readFile: configDisk.readFile };
  const { value: url, pieces, problems, isMalformed } = await replaceReferences(written, deps);
  const [missing] = problems;
  if (missing !== undefined) throw unusable(`has no password: ${missing.problem}`, missing.advice);
  if (isMalformed) throw unusable('contains an invalid reference', 'write ${NAME}, or ${file:/path}');
  registerSecret(url, pieces, 'password', secrets);
  if (databaseUrlOf(url) === undefined)
    throw unusable(
      'is not of the form postgres://user@host:5432/database',
      'correct it; percent-encode characters like / # @ : % ? in user and password',
    );
  return url;
};
