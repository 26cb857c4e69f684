import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { createSecretScanner } from '../support/secret-scan.ts';

const secret = 'sk-Zk3vTq9LmW2xYb7RcN4dPs8HgJ5fAe6UoI1tQwErTyUiOpAs';
const bare = secret.slice(3);
const scanner = createSecretScanner();
scanner.add(secret);
const scan = (bytes: Uint8Array | string) =>
  scanner.scan(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);

describe('a secret is found', () => {
  it.each([
    ['plain', secret],
    ['plain', `x${bare}`],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64', Buffer.from(`Bearer ${secret}\n`).toString('base64')],
    ['base64', Buffer.from(`{"key":"${secret}"}`).toString('base64url')],
    ['hex', Buffer.from(secret).toString('hex')],
    ['hex', Buffer.from(secret).toString('hex').toUpperCase()],
  ])('in the form %s', (form, text) => {
    expect(scan(`some words, ${text}, and others`)).toContain(form);
  });

  it('in UTF-16, in the form of URLs, and in JSON with escapes', () => {
    const own = createSecretScanner();
    own.add('a "pass/word" & more');
    expect(scan(Buffer.from(secret, 'utf16le'))).toEqual(['UTF-16']);
    expect(own.scan(Buffer.from('?v=a%20%22pass%2Fword%22%20%26%20more'))).toEqual(['URL']);
    expect(own.scan(Buffer.from('v=a+%22pass%2Fword%22+%26+more'))).toEqual(['form']);
    expect(own.scan(Buffer.from(JSON.stringify({ v: 'a "pass/word" & more' })))).toEqual(['JSON']);
  });

  it('at any position and in base64, with any surrounding text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (before, after) => {
        const bytes = Buffer.concat([before, Buffer.from(bare), after]);
        expect(scan(bytes)).toContain('plain');
        expect(scan(bytes.toString('base64'))).toContain('base64');
      }),
    );
  });

  it('in a workbook in a mail in an archive', async () => {
    const sheet = [[{ value: 'key' }, { value: secret }]];
    const workbook = await writeXlsxFile(sheet).toBuffer();
    expect(scan(workbook)).toEqual(['plain']);
    const wrapped = workbook.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
    const mail = `Subject: x\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${wrapped}\r\n`;
    expect(scan(mail)).toEqual(['plain']);
    expect(scan(gzipSync(mail))).toEqual(['plain']);
  });

  it('in a wrapped line of a mail', () => {
    const line = `${bare.slice(0, 20)}=\r\n${bare.slice(20)}`;
    expect(scan(line)).toEqual([]);
    expect(scan(`Content-Transfer-Encoding: quoted-printable\r\n\r\n${line}`)).toEqual(['plain']);
  });
});

it('the scan reports no mask, hash, half of a key or other key', () => {
  for (const text of ['', 'sk-', `sk-Zk3v**********OpAs`, bare.slice(1), bare.slice(0, -1)])
    expect(scan(text)).toEqual([]);
  expect(scan(gzipSync(Buffer.from('x')).subarray(0, 5))).toEqual([]);
});

it('the scan covers megabytes and thousands of secrets', () => {
  const many = createSecretScanner();
  for (let at = 0; at < 2000; at += 1)
    many.add(`sk-${createHash('sha256').update(String(at)).digest('base64url')}`);
  const bytes = Buffer.alloc(8_000_000, 'abcdefghijklmnopqrstuvwxyz{"0123456789":"words and others"}');
  const began = process.cpuUsage();
  expect(many.scan(bytes)).toEqual([]);
  expect(process.cpuUsage(began).user / 1e6).toBeLessThan(3);
});
