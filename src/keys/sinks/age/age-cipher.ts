import { createHash } from 'node:crypto';
import type { Encrypter, Recipient } from 'age-encryption';
import { fault, messageOf, type Cipher, type Decipher } from '../../../core/index.ts';
import { refused } from '../sink-faults.ts';

/** @throws Fault sink-refused for an invalid recipient */
export const encrypterFor = async (
  recipients: readonly string[],
  ...first: readonly Recipient[]
): Promise<Encrypter> => {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of first) encrypter.addRecipient(recipient);
  if (recipients.length === 0) throw refused('an age file without recipients cannot be decrypted by anybody');
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw refused(`${recipient} is not an age recipient: ${messageOf(error)}`, {
        advice: 'use the public key that age-keygen prints (age1…), never the identity itself',
      });
    }
  }
  return encrypter;
};

/** Encrypts for holders of the identities of these recipients (`age1…`). @throws Fault sink-refused for an invalid recipient */
export const createCipher = async (recipients: readonly string[]): Promise<Cipher> => {
  const { Stanza } = await import('age-encryption');
  const encrypter = await encrypterFor(recipients, {
    // Readable without an identity, so that no other file is replaced by a backup; age ignores stanzas that it does not know.
    wrapFileKey: () => [new Stanza(['tollkeeper-backup'], new Uint8Array())],
  });
  const names = [...new Set(recipients)].toSorted().join('\n');
  return {
    recipients: createHash('sha256').update(names).digest('hex').slice(0, 16),
    encrypt: async (plain) => encrypter.encrypt(plain),
    encryptStream: async (plain) => encrypter.encrypt(plain),
  };
};

/**
 * Decrypts with the identities of a file as age-keygen writes it: comments, and a line `AGE-SECRET-KEY-1…` for each.
 * @throws Fault backup-identity when the text is anything else; it names the line and never its content
 */
export const createDecipher = async (identities: string): Promise<Decipher> => {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  const advice = 'pass the file that age-keygen has written, with a line AGE-SECRET-KEY-1…';
  const lines = identities.split(/\r?\n/).map((line, index) => ({ text: line.trim(), number: index + 1 }));
  const keys = lines.filter(({ text }) => text !== '' && !text.startsWith('#'));
  if (keys.length === 0) throw fault('backup-identity', 'the identity file contains no identity', { advice });
  for (const { text, number } of keys) {
    try {
      decrypter.addIdentity(text);
    } catch {
      // The error of the package can contain the identity.
      throw fault('backup-identity', `line ${number} of the identity file is not an age identity`, {
        advice,
      });
    }
  }
  return {
    decrypt: async (sealed) => decrypter.decrypt(sealed),
    decryptStream: async (sealed) => decrypter.decrypt(sealed),
  };
};
