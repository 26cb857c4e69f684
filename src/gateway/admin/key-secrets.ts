import type { SecretRegistry } from '../../core/index.ts';

const keyField = /"(?:key|token|api_key|secret)"\s*:\s*"((?:[^"\\]|\\.)+)/g;
const keyShape = /\bsk-[\w-]{8,}/g;

/**
 * Shorter texts under such a name are ordinary text (`"key": "name"`), which must not be redacted from every log line.
 */
const shortestKey = 12;

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
    // Masked values are meant to be shown.
    if (value.length < shortestKey || value.includes('*')) continue;
    secrets.register(value);
    // A key may be shown with or without its prefix.
    const bare = value.replace(/^sk-/, '');
    if (bare.length >= shortestKey) secrets.register(bare);
  }
};
