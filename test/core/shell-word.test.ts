import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/core/index.ts';

it.each(['billing', 'growth-mail.g2', 'a/b:c@d,e%f+1=2'])('%s is not quoted', (text) => {
  expect(shellWord(text)).toBe(text);
});

it('any text becomes one word of a shell', () => {
  const texts = [
    '',
    ' ',
    '-rf',
    "o'neill",
    '$(echo no)',
    '`echo no`',
    'a; echo no',
    '"',
    "'; echo no; '",
    '*',
    '\\',
    '!!',
    'a\nb',
    '生产',
  ];
  const script = `printf '%s\\0' ${texts.map(shellWord).join(' ')}`;
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(
    texts,
  );
});
