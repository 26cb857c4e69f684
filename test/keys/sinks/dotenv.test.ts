import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dotenvForm, rawForm } from '../../../src/keys/sinks/dotenv.ts';
import { stormTimes } from '../../support/storm.ts';
import { older, plaintext } from './support.ts';

const form = dotenvForm('KEY');

describe('a variable of a dotenv file', () => {
  it.each([
    ['plain', 'A=1\nKEY=<>\nB=2\n'],
    ['exported', 'export KEY=<>\n'],
    ['in double quotes', 'KEY="<>"\n'],
    ['in single quotes', "KEY='<>'\n"],
    ['in backticks', 'KEY=`<>`\n'],
    ['with CRLF', 'A=1\r\nKEY=<>\r\nB=2\r\n'],
    ['with a comment behind', 'KEY=<> # rotated\nB=2'],
    ['quoted with a comment behind', 'KEY="<>"  # "rotated"\n'],
    ['with spaces', '  KEY = <>  \n'],
    ['without a line end', 'A=1\nKEY=<>'],
    ['behind a byte-order mark', '\u00ef\u00bb\u00bfKEY=<>\n'],
    ['twice', 'KEY=<>\nA=1\nKEY="<>"\n'],
    ['beside comments and names like it', '# KEY=no\nMY_KEY=a\nKEYS=b\nKEY=<>\n#KEY=no\nKEY.B=c\n'],
    ['inside the value of another', 'A="x\nKEY=no\ny"\nKEY=<>\n'],
    ['behind a quote that nothing closes', "A='x\nKEY=<>\nB='y' z\n"],
    ['with bytes of another encoding', 'A=\u00e4\u00ff\nKEY=<>\n'],
  ])('%s: the value alone changes', (_, template) => {
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
  ])('%j holds none: it is filled in', (before, after) => {
    if (before !== 'KEY=#old\n') expect(form.read(before)).toBeUndefined();
    expect(form.write(before, plaintext)).toBe(after);
  });

  it('quotes a key that needs it, and refuses what readers take differently', () => {
    expect(form.write('', 'a b')).toBe("KEY='a b'\n");
    expect(form.write('KEY="x"', 'a b')).toBe('KEY="a b"');
    expect(() => form.write('', 'a\nB=2')).toThrow('characters');
    expect(() => form.write('', "a'$b")).toThrow('characters');
  });

  it('is found in time whatever the file is made of', () => {
    const long = 150_000;
    for (const line of [' ', '\n', '#', "A='", 'A=" ', 'export ', "\\'", 'A= ', '=']) {
      for (const before of ['', 'A=x', "A='", 'KEY=x']) {
        const text = before + line.repeat(long / line.length) + '\nx';
        expect(form.read(form.write(text, plaintext))).toBe(plaintext);
        rawForm.read(text);
      }
    }
  });

  it('whatever the file holds, the key is read back, lines without it stay, and doing it again changes nothing', () => {
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
      { numRuns: 300 * stormTimes },
    );
  });
});

describe('a raw file', () => {
  it('is the key, with the line end it had', () => {
    expect(rawForm.write('', plaintext)).toBe(plaintext);
    expect(rawForm.write(`${older}\n`, plaintext)).toBe(`${plaintext}\n`);
    expect(rawForm.write(`${older}\r\n`, plaintext)).toBe(`${plaintext}\r\n`);
    expect(rawForm.read(`${plaintext}\n`)).toBe(plaintext);
    expect(rawForm.read('\n')).toBeUndefined();
  });
});
