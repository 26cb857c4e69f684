import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { layersOf } from './file-layers.ts';

/** Looks for secrets in bytes, in any form they may be written in. */
export type SecretScanner = {
  readonly add: (secret: string) => void;
  readonly isEmpty: () => boolean;
  /** The forms that were found, by name (`base64`), in the bytes or in what is packed in them; never the secret. */
  readonly scan: (bytes: Uint8Array) => readonly string[];
};

/** Shorter ones would be found by chance. */
const shortest = 8;

/** Base64 of the text whatever stands before and after it: the characters that depend on its neighbours are left off. */
const base64At = (text: string, before: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  const whole = bytes.toString('base64').replace(/=+$/, '');
  const last = bytes.length % 3 === 0 ? whole.length : whole.length - 1;
  return whole.slice(Math.ceil((before * 8) / 6), last);
};

const formsOf = (secret: string): readonly (readonly [string, string])[] => {
  // What is found without its prefix is found with it.
  const bare = secret.replace(/^sk-/, '');
  const base64 = [0, 1, 2].map((before) => base64At(bare, before));
  return [
    ['plain', bare],
    ['JSON', JSON.stringify(bare).slice(1, -1)],
    ['URL', encodeURIComponent(bare)],
    ['form', new URLSearchParams({ v: bare }).toString().slice(2)],
    ...base64.map((form) => ['base64', form] as const),
    ...base64.map((form) => ['base64url', form.replaceAll('+', '-').replaceAll('/', '_')] as const),
    ['hex', Buffer.from(bare).toString('hex')],
    ['hex', Buffer.from(bare).toString('hex').toUpperCase()],
    ['UTF-16', Buffer.from(bare, 'utf16le').toString('latin1')],
  ];
};

type Needle = { readonly name: string; readonly bytes: Buffer };

const bits = 20;
/** Of four bytes a place in the filter. */
const placeOf = (word: number): number => Math.imul(word, 0x9e3779b1) >>> (32 - bits);

export const createSecretScanner = (): SecretScanner => {
  const byStart = new Map<number, Needle[]>();
  const filter = new Uint8Array(1 << bits);
  const known = new Set<string>();

  const look = (bytes: Uint8Array, found: Set<string>): void => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let word = 0;
    for (let at = 0; at < buffer.length; at += 1) {
      word = (word << 8) | (buffer[at] ?? 0);
      if (filter[placeOf(word)] === 0) continue;
      for (const { name, bytes: needle } of byStart.get(word) ?? []) {
        const start = at - 3;
        const end = start + needle.length;
        if (start < 0 || end > buffer.length) continue;
        if (buffer.compare(needle, 0, needle.length, start, end) === 0) found.add(name);
      }
    }
  };

  return {
    isEmpty: () => known.size === 0,
    add: (secret) => {
      if (secret.replace(/^sk-/, '').length < shortest || known.has(secret)) return;
      known.add(secret);
      // Of forms that look the same the first one gives the name.
      const forms = new Map(
        formsOf(secret)
          .toReversed()
          .map(([name, form]) => [form, name]),
      );
      for (const [form, name] of forms) {
        const bytes = Buffer.from(form, 'latin1');
        const start = bytes.readInt32BE(0);
        filter[placeOf(start)] = 1;
        const needles = byStart.get(start) ?? [];
        needles.push({ name, bytes });
        byStart.set(start, needles);
      }
    },
    scan: (bytes) => {
      const found = new Set<string>();
      if (known.size > 0) for (const layer of layersOf(bytes)) look(layer, found);
      return [...found];
    },
  };
};

/** The plain files below a folder. */
export const filesBelow = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};
