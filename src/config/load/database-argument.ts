import { databaseUrlOf, fault, type Deps, type Fault } from '../../core/index.ts';
import { configDisk } from './disk.ts';
import { lookUp, splitReferences } from './references.ts';
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
  let url = '';
  const pieces: string[] = [];
  for (const part of splitReferences(written)) {
    if ('text' in part) url += part.text;
    else if ('malformed' in part)
      throw unusable('contains an invalid reference', 'write ${NAME}, or ${file:/path}');
    else {
      const looked = await lookUp(part.reference, { env, readFile: configDisk.readFile });
      if ('problem' in looked) throw unusable(`has no password: ${looked.problem}`, looked.advice);
      pieces.push(looked.value);
      url += looked.value;
    }
  }
  registerSecret(url, pieces, 'password', secrets);
  if (databaseUrlOf(url) === undefined)
    throw unusable(
      'is not of the form postgres://user@host:5432/database',
      'correct it; characters like / # @ : % ? within user and password are percent-encoded',
    );
  return url;
};
