import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dotenvForm, rawForm } from '../../../src/keys/sinks/file/dotenv.ts';
import { runs } from '../../support/storm.ts';
import { older, plaintext } from './support.ts';

const form = dotenvForm('KEY', 'app.env');

/** What was thrown, or nothing. */
const refusalOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a variable of a dotenv file', () => {
  it.each([
    ['behind a byte-order mark', '\u00ef\u00bb\u00bfKEY=<>\n'],
    ['behind a quote that nothing closes', "A='x\nKEY=<>\nB='y' z\n"],
    ['behind an escaped quote of another', 'A="x\\"y"\nKEY=<>\n'],
    ['with a comment that looks like a command', 'KEY=<> # ; export KEY "\n'],
    ['with bytes of another encoding', 'A=\u00e4\u00ff\nKEY=<>\n'],
  ])('is the only change: %s', (_, template) => {
    const before = template.replaceAll('<>', older);
    const after = template.replaceAll('<>', plaintext);
    expect(form.read(before)).toBe(older);
    expect(form.write(before, plaintext)).toBe(after);
    expect(form.read(after)).toBe(plaintext);
    expect(form.write(after, plaintext)).toBe(after);
  });

  it.each([
    ['', `KEY=${plaintext}\n`],
    ['A=1\n', `A=1\nKEY=${plaintext}\n`],
    ['A=1', `A=1\nKEY=${plaintext}\n`],
    ['A=1\r\nB=2', `A=1\r\nB=2\r\nKEY=${plaintext}\r\n`],
    ['KEY=\nA=1\n', `KEY=${plaintext}\nA=1\n`],
    ['KEY= # later\n', `KEY=${plaintext} # later\n`],
    ['KEY=""\n', `KEY="${plaintext}"\n`],
    ['KEY=#old\n', `KEY=${plaintext}\n`],
  ])('%j is empty: it is filled in', (before, after) => {
    if (before !== 'KEY=#old\n') expect(form.read(before)).toBeUndefined();
    expect(form.write(before, plaintext)).toBe(after);
  });

  it.each([
    ['A=1\r\nKEY="<>"; export KEY\r\n', 2],
    ['KEY="<>" OTHER=1\n', 1],
    ["# c\n\nexport KEY='<>' OTHER=1\n", 3],
    ['KEY=<>>log\n', 1],
    ['KEY="<>\nA=1\n', 1],
    ["KEY='<>\nA=1\n", 1],
    ['KEY=`<>\nA=1\n', 1],
    ['KEY="<>\nA=1\nB="\n', 1],
    ['KEY="<>"tail\n', 1],
    ['KEY="<>\'\n', 1],
    ['KEY="<>\\"\n', 1],
    ['KEY=$(echo <>)\n', 1],
    ['KEY=$(<>)\n', 1],
    ['KEY="$(<>)"\n', 1],
    ['KEY="`<>`"\n', 1],
    ['KEY=`echo <>`\n', 1],
    ['KEY=`/bin/<>`\n', 1],
    ['KEY=a`<>`\n', 1],
    ['KEY=<>\\\nA=1\n', 1],
    ['KEY= OTHER=<>\n', 1],
    ['KEY=; export KEY # <>\n', 1],
    ['KEY=<>\rA=1\n', 1],
    ['A="x\ny"\nKEY=<> z\n', 3],
    ['KEY=<>; export KEY\nKEY=<>\n', 1],
  ])('%j is neither read nor written, since the line has other contents', (template, line) => {
    const before = template.replaceAll('<>', older);
    for (const work of [() => form.read(before), () => form.write(before, plaintext)]) {
      const refusal = refusalOf(work);
      expect(refusal).toMatchObject({
        code: 'sink-refused',
        message: expect.stringContaining(`KEY on line ${line} of app.env`),
        advice: expect.stringContaining('line'),
      });
      expect(JSON.stringify(refusal) + String(refusal)).not.toContain(older);
    }
  });

  it.each([
    ['KEY=${OTHER}\n', `KEY=${plaintext}\n`],
    ['KEY=<changeme> # c\n', `KEY=${plaintext} # c\n`],
    ['KEY="-----BEGIN\nabc\n-----END" # c\nA=1\n', `KEY="${plaintext}" # c\nA=1\n`],
    ['KEY="a b"#c\n', `KEY="${plaintext}"#c\n`],
    ["KEY='$(no command)'\n", `KEY='${plaintext}'\n`],
  ])('%j has another value, which is replaced', (before, after) => {
    expect(form.write(before, plaintext)).toBe(after);
  });

  it('is replaced without changing a byte outside of the value, or nothing is written', () => {
    const end = fc.constantFrom('\n', '\r\n');
    const other = fc.oneof(
      fc.constantFrom(
        '',
        '# KEY=c',
        '#',
        'A=1',
        'A=1; export A',
        'B="x" C=1',
        'export D=\'q r\' # "c"',
        'E="m\nKEY=n"',
        'F=$(date)',
        'KEYS=k',
        'MY_KEY=m',
        'junk',
        '\té ',
      ),
      fc
        .string({ unit: fc.constantFrom('a', ' ', '=', ';', '$', '#', '\t'), maxLength: 8 })
        .map((text) => `G${text}`),
    );
    const around = fc.record({
      before: fc.constantFrom('', ' ', 'export ', '\texport\t'),
      equals: fc.constantFrom('=', ' = ', '= '),
      quote: fc.constantFrom('', '"', "'", '`'),
      behind: fc.constantFrom('', ' ', '\t ', ' # c', '\t#"; c', ' #'),
      harm: fc.constantFrom('', '', '', ';', ' ; export KEY', '&', ' | cat', ' A=1', ' x', '(', '"'),
    });
    const line = fc.tuple(fc.oneof(other, around), end);
    const count = runs(300);
    let written = 0;
    fc.assert(
      // Half of the files are sound as a whole: of long ones hardly any would be by chance.
      fc.property(fc.array(line, { maxLength: 10 }), fc.boolean(), fc.boolean(), (drawn, ends, sound) => {
        const lines = drawn.map(
          ([one, stop]) => [sound && typeof one !== 'string' ? { ...one, harm: '' } : one, stop] as const,
        );
        const text = (value: string): string => {
          const whole = lines
            .map(([one, stop]) =>
              typeof one === 'string'
                ? one + stop
                : `${one.before}KEY${one.equals}${one.quote}${value}${one.quote}${one.harm}${one.behind}${stop}`,
            )
            .join('');
          return ends ? whole : whole.replace(/\r?\n$/, '');
        };
        const before = text(older);
        const own = lines.flatMap(([one]) => (typeof one === 'string' ? [] : [one]));
        if (own.some(({ harm }) => harm !== '')) {
          expect(refusalOf(() => form.write(before, plaintext))).toMatchObject({ code: 'sink-refused' });
          return;
        }
        written += own.length;
        const after = form.write(before, plaintext);
        if (own.length > 0) expect(after).toBe(text(plaintext));
        else expect(after.startsWith(before)).toBe(true);
        expect(form.read(after)).toBe(plaintext);
      }),
      { numRuns: count },
    );
    expect(written).toBeGreaterThan(count / 15);
  });

  it('is quoted if necessary, and is rejected if readers interpret it differently', () => {
    expect(form.write('', 'a b')).toBe("KEY='a b'\n");
    expect(form.write('KEY="x"', 'a b')).toBe('KEY="a b"');
    expect(() => form.write('', 'a\nB=2')).toThrow('characters');
    expect(() => form.write('', "a'$b")).toThrow('characters');
  });

  it('is found in linear time, whatever the file contains', () => {
    const long = 150_000;
    for (const line of [' ', '\n', '#', "A='", 'A=" ', 'export ', "\\'", 'A= ', '=']) {
      for (const before of ['', 'A=x', "A='", 'KEY=x', 'KEY=x # ']) {
        const text = before + line.repeat(long / line.length) + '\nx';
        const refusal = refusalOf(() => {
          expect(form.read(form.write(text, plaintext))).toBe(plaintext);
        });
        // Only what stands behind its own value is in the way.
        if (refusal !== undefined && before === 'KEY=x')
          expect(refusal).toMatchObject({ code: 'sink-refused' });
        else expect(refusal).toBeUndefined();
        rawForm.read(text);
      }
    }
  });

  it('is read back whatever the file contains, lines without it stay, and a repeated write changes nothing', () => {
    const piece = fc.constantFrom(
      'KEY=x',
      'KEY="y z"',
      'export KEY=',
      'A=1',
      "B='q'",
      'C="m\nn"',
      '# KEY=c',
      '',
      'junk',
      "D='",
      'E=`',
      '  ',
      '\r',
      '\n',
      '\r\n',
      '"',
      'é',
      'A=b\\',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const before = pieces.join('\n');
        const after = form.write(before, plaintext);
        expect(form.read(after)).toBe(plaintext);
        expect(form.write(after, plaintext)).toBe(after);
        const others = (text: string) => text.split(/\r*\n|\r*$/).filter((line) => !line.includes('KEY'));
        expect(others(after).filter((line) => line !== '')).toEqual(
          others(before).filter((line) => line !== ''),
        );
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a raw file', () => {
  it('is the key, with its previous line ending', () => {
    expect(rawForm.write('', plaintext)).toBe(plaintext);
    expect(rawForm.write(`${older}\n`, plaintext)).toBe(`${plaintext}\n`);
    expect(rawForm.write(`${older}\r\n`, plaintext)).toBe(`${plaintext}\r\n`);
    expect(rawForm.read(`${plaintext}\n`)).toBe(plaintext);
    expect(rawForm.read('\n')).toBeUndefined();
  });
});
