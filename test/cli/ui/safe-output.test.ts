import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeOutput } from '../../../src/cli/ui/output.ts';
import { openFolder } from '../../support/program.ts';
import { once } from '../../support/storm.ts';

/** What a terminal interprets: controls except tab and line end, and turns of direction. */
const control = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;
const styles = new RegExp(`${String.fromCharCode(27)}\\[(?:[012]|3[1236])m`, 'g');

const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\u001B]0;title\u0007',
        '\u001B[2J',
        '\u009B31m',
        '\u202E',
        '\u2066',
        '\r',
        '\u0085',
        '\u007F',
      ),
      fc.constantFrom('\u001B[31m', '\r\u001B[2K', '\b\b', '\u001BP', 'prod', '*', ' '),
      fc.string({ maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const writtenOf = (isTerminal: boolean, ...texts: readonly string[]): string => {
  let shown = '';
  const output = safeOutput({ isTerminal, columns: 80, write: (text) => void (shown += text) });
  for (const text of texts) output.write(text);
  return shown;
};

describe('the output of the program', () => {
  it('carries no control characters of outside text, and remains the same JSON', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(writtenOf(false, text).replaceAll('\r\n', '\n')).not.toMatch(control);
        expect(JSON.parse(writtenOf(false, JSON.stringify({ text })))).toEqual({ text });
        const shown = writtenOf(true, `name: ${text}`);
        expect(shown.replaceAll('\r\n', '\n').replaceAll(styles, '')).not.toMatch(control);
      }),
    );
  });

  it('keeps its own colours and progress lines on a terminal', () => {
    const own = ['\r\u001B[2Kpulling: 3 of 15', '\n', '\u001B[32mok\u001B[0m\tdone\r\n'];
    expect(writtenOf(true, ...own)).toBe(own.join(''));
  });

  it('shows names and arguments from outside without control characters', async () => {
    await using folder = await openFolder();
    await fc.assert(
      fc.asyncProperty(
        hostileText.filter((text) => !text.includes('\0')),
        async (name) => {
          await folder.write(
            'config/tollkeeper.yaml',
            JSON.stringify({ accounts: { main: { [name]: name, currency: name } }, timezone: name }),
          );
          for (const argv of [
            ['check', '--config', 'config'],
            ['check', '--config', 'config', '--json'],
            ['run', `x${name}`, '--config', 'config'],
            [`x${name}`],
          ])
            for (const terminal of [undefined, 80]) {
              const ran = await folder.run(argv, terminal === undefined ? {} : { terminal });
              const shown = ran.stdout.replaceAll(styles, '') + ran.stderr;
              expect(shown.replaceAll('\r\n', '\n')).not.toMatch(control);
            }
        },
      ),
      { numRuns: once(20) },
    );
  });
});
