import type { SecretRegistry } from '../../core/index.ts';

const keyField = /"(?:key|token|api_key|secret)"\s*:\s*"((?:[^"\\]|\\.)+)/g;
const keyShape = /\bsk-[\w-]{8,}/g;

/** Letters and digits of some length: other texts under such a name (`"key": "name"`) must not disappear from log lines. */
const isKeyShaped = (text: string): boolean =>
  /^[A-Za-z0-9_-]{20,200}$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text);

const unescaped = (text: string): string => {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
};

/** Registers every possible key plaintext in an answer, even if the answer is otherwise unreadable. */
export const registerKeys = (text: string, secrets: SecretRegistry): void => {
  const found = [
    ...[...text.matchAll(keyField)].flatMap(([, value = '']) => [value, unescaped(value)]),
    ...[...text.matchAll(keyShape)].map(([value]) => value),
  ];
  for (const value of found) {
    if (!isKeyShaped(value)) continue;
    secrets.registerSeen(value);
    // A key may be shown with or without its prefix.
    const bare = value.replace(/^sk-/, '');
    if (isKeyShaped(bare)) secrets.registerSeen(bare);
  }
};
