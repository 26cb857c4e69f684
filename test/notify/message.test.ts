import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { isolateNames, parseMailbox, unixMillis } from '../../src/core/index.ts';
import { composeMessage, type Message } from '../../src/notify/message.ts';
import { mail, png, start } from './support/outbox-fixture.ts';
import { once } from '../support/storm.ts';
import type { MessageDefaults } from '../../src/notify/index.ts';

const message: Message = {
  ...mail,
  from: { name: 'Tollkeeper', address: 'reports@example.com' },
  to: { name: '', address: 'finance@example.com' },
  messageId: '<abc123@example.com>',
  date: unixMillis(start),
};

const compose = (change: Partial<Message> = {}): Promise<Buffer> => composeMessage({ ...message, ...change });

const headersOf = (bytes: Buffer): string[] =>
  bytes
    .toString('latin1')
    .split('\r\n\r\n')[0]
    ?.replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => line.split(':')[0] ?? '') ?? [];

const ofMime = ['From', 'To', 'Subject', 'Message-ID', 'Date', 'MIME-Version', 'Content-Type'];
const defaultHeaders = ['Auto-Submitted', 'X-Auto-Response-Suppress', ...ofMime];

/** Any text that can be written down: half characters cannot. */
const anyText = fc.string({ unit: 'binary', maxLength: 200 });

describe('a message', () => {
  it('contains text, HTML, inline images and attachments', async () => {
    const bytes = await compose({
      attachments: [
        { filename: 'spend.csv', contentType: 'text/csv', content: Buffer.from('day,spend\n') },
        {
          filename: 'Ausgaben für März.xlsx',
          contentType: 'application/octet-stream',
          content: Buffer.from([0, 255]),
        },
      ],
    });
    const parsed = await simpleParser(bytes, { skipImageLinks: true });
    expect(parsed.subject).toBe(message.subject);
    expect(parsed.html).toBe(message.html);
    expect(parsed.text).toBe(message.text);
    expect(parsed.messageId).toBe('<abc123@example.com>');
    expect(parsed.date?.getTime()).toBe(start);
    expect(parsed.headers.get('auto-submitted')).toBe('auto-generated');
    expect(parsed.from?.value).toEqual([{ name: 'Tollkeeper', address: 'reports@example.com' }]);
    const [chart, csv, sheet] = parsed.attachments;
    expect(chart).toMatchObject({
      cid: 'chart@tollkeeper',
      contentType: 'image/png',
      contentDisposition: 'inline',
    });
    expect(chart?.related).toBe(true);
    expect(chart?.content.equals(png)).toBe(true);
    expect(csv).toMatchObject({ filename: 'spend.csv', contentType: 'text/csv' });
    expect(csv?.content.toString()).toBe('day,spend\n');
    expect(sheet).toMatchObject({ filename: 'Ausgaben für März.xlsx' });
    expect([...(sheet?.content ?? [])]).toEqual([0, 255]);
  });

  it('has the same bytes each time it is built', async () => {
    expect((await compose()).equals(await compose())).toBe(true);
    expect((await compose({ messageId: '<other@example.com>' })).equals(await compose())).toBe(false);
    const parents = ['<first@example.com>'];
    expect((await compose({ parents })).equals(await compose({ parents }))).toBe(true);
  });

  it('has only lines that every server accepts: CRLF, 7 bit, at most 998 long', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText,
        anyText,
        fc.string({ unit: 'binary', maxLength: 3000 }),
        async (subject, name, body) => {
          const bytes = await compose({
            subject,
            text: body,
            html: body,
            from: { name, address: 'a@example.com' },
            attachments: [{ filename: name, contentType: 'text/csv', content: Buffer.from(body) }],
          });
          const text = bytes.toString('latin1');
          expect(/[\u0080-\u00ff\0]/.test(text)).toBe(false);
          expect(/(?<!\r)\n|\r(?!\n)/.test(text)).toBe(false);
          expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
        },
      ),
      { numRuns: once(150) },
    );
  });

  it('preserves any value, each in its own header', async () => {
    const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (subject, text, html) => {
        const bytes = await compose({ subject, text, html, images: [] });
        expect(headersOf(bytes)).toEqual(defaultHeaders);
        const parsed = await simpleParser(bytes, { skipImageLinks: true, skipTextToHtml: true });
        expect(parsed.subject ?? '').toBe(isolateNames(oneLine(subject)) || '(no subject)');
        expect(lines(parsed.text ?? '')).toBe(lines(isolateNames(text)));
        expect(lines(parsed.html === false ? '' : parsed.html)).toBe(lines(isolateNames(html)));
      }),
      { numRuns: once(300) },
    );
  });

  it.each([
    'Bill\r\nBcc: evil@example.com',
    'Bill\nBcc: evil@example.com',
    'Bill\rBcc: evil@example.com',
    'Bill\u2028Bcc: evil@example.com',
    'Bill\r\n\r\n<script>',
    '=?utf-8?Q?Bill=0D=0ABcc:_evil@example.com?=',
    '"; charset=x\r\nBcc: evil@example.com',
  ])('gains no header from %j in a subject, a name or a file name', async (hostile) => {
    const bytes = await compose({
      subject: hostile,
      from: { name: hostile, address: 'a@example.com' },
      to: { name: hostile, address: 'b@example.com' },
      attachments: [{ filename: hostile, contentType: `text/plain${hostile}`, content: Buffer.from('x') }],
      images: [{ cid: 'c', filename: hostile, png }],
    });
    expect(headersOf(bytes)).toEqual(defaultHeaders);
    const parsed = await simpleParser(bytes);
    expect(parsed.bcc).toBeUndefined();
    for (const { headers } of parsed.attachments) expect(headers.has('bcc')).toBe(false);
    expect(parsed.to).toMatchObject({ value: [{ address: 'b@example.com' }] });
    expect(parsed.from?.value).toMatchObject([{ address: 'a@example.com' }]);
  });

  it('fetches no URL from its content', async () => {
    const html = '<img src="file:///etc/passwd"><img src="http://127.0.0.1:1/x.png">';
    const parsed = await simpleParser(await compose({ html, images: [] }), { skipImageLinks: true });
    expect(parsed.html).toBe(html);
    expect(parsed.attachments).toEqual([]);
  });
});

describe('a mail address', () => {
  it('is read with its name', () => {
    expect(parseMailbox('ops@example.com')).toEqual({ name: '', address: 'ops@example.com' });
    expect(parseMailbox('Öps, the team <ops@example.com>')).toBeUndefined();
    expect(parseMailbox('"Öps, the team" <ops@example.com>')).toEqual({
      name: 'Öps, the team',
      address: 'ops@example.com',
    });
  });

  it.each([
    '',
    'ops',
    'a@b, c@d',
    'a@b\r\nBcc: c@d',
    'a@b>\r\nRCPT TO:<c@d',
    'team: a@b, c@d;',
    '<a@b> <c@d>',
    'a b@c',
    'a@b c',
    '@b',
    'a@',
  ])('is not %j', (text) => {
    expect(parseMailbox(text)).toBeUndefined();
  });
});

/** Line ends may change on the way, and a mail's last ones do not count. */
const lines = (text: string): string => text.replaceAll(/\r\n|\r|\n/g, '\n').replace(/\n+$/, '');

const withDefaults = (messageDefaults: MessageDefaults, to = 'finance@example.com'): Promise<Buffer> =>
  compose({
    from: { name: '', address: 'reports@example.com' },
    to: { name: '', address: to },
    messageDefaults,
  });

/** Values of a header, unfolded, as they stand in the bytes. */
const header = (bytes: Buffer, name: string): string[] => {
  const head = bytes.toString('latin1').split('\r\n\r\n')[0] ?? '';
  const fields = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return fields
    .filter((field) => field.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    .map((field) => field.slice(name.length + 1).trim());
};

describe('the default headers of mails', () => {
  it('mark them as automatic and set Reply-To', async () => {
    const bytes = await withDefaults({ replyTo: { name: 'Büro', address: 'ops@example.com' } });
    expect(header(bytes, 'Auto-Submitted')).toEqual(['auto-generated']);
    expect(header(bytes, 'X-Auto-Response-Suppress')).toEqual(['All']);
    expect(header(bytes, 'Message-ID')).toEqual(['<abc123@example.com>']);
    expect(header(bytes, 'Precedence')).toEqual([]);
    expect(header(bytes, 'List-Unsubscribe')).toEqual([]);
    const { replyTo } = await simpleParser(bytes);
    expect(replyTo?.value).toEqual([{ name: 'Büro', address: 'ops@example.com' }]);
  });

  it('let recipients unsubscribe by mail', async () => {
    const bytes = await withDefaults({ unsubscribe: { mailto: 'stop@example.com' } });
    expect(header(bytes, 'List-Unsubscribe')).toEqual(['<mailto:stop@example.com?subject=unsubscribe>']);
    // Mail programs would post to a web address, and there is none.
    expect(header(bytes, 'List-Unsubscribe-Post')).toEqual([]);
  });

  it('let recipients unsubscribe with one click when the address identifies them', async () => {
    const url = `https://example.com/stop/${'long/'.repeat(40)}?who={recipient}`;
    const bytes = await withDefaults(
      { unsubscribe: { mailto: 'stop@example.com', url } },
      'a&b+c@example.com',
    );
    expect(header(bytes, 'List-Unsubscribe')).toEqual([
      `<mailto:stop@example.com?subject=unsubscribe>, <${url.replace('{recipient}', 'a%26b%2Bc%40example.com')}>`,
    ]);
    expect(header(bytes, 'List-Unsubscribe-Post')).toEqual(['List-Unsubscribe=One-Click']);
  });

  it.each(['https://example.com/stop', 'http://127.0.0.1/stop?who={recipient}'])(
    'promise no one-click unsubscribe for %s',
    async (url) => {
      const bytes = await withDefaults({ unsubscribe: { url } });
      expect(header(bytes, 'List-Unsubscribe')).toHaveLength(1);
      expect(header(bytes, 'List-Unsubscribe-Post')).toEqual([]);
    },
  );

  it('cannot be extended through an address', async () => {
    const bytes = await withDefaults({
      unsubscribe: { mailto: 'stop@example.com', url: 'https://example.com/>\r\nBcc: <evil@example.com' },
    });
    expect(header(bytes, 'Bcc')).toEqual([]);
    expect(header(bytes, 'List-Unsubscribe')[0]).not.toMatch(/<https[^>]*[\s<]/);
  });
});
