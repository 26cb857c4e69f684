import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import type { MessageDefaults } from '../../src/notify/index.ts';
import { composeMessage } from '../../src/notify/message.ts';
import { mail, start } from './support/outbox-fixture.ts';

const compose = (messageDefaults: MessageDefaults, to = 'finance@example.com'): Promise<Buffer> =>
  composeMessage({
    ...mail,
    from: { name: '', address: 'reports@example.com' },
    to: { name: '', address: to },
    messageId: '<abc@example.com>',
    date: unixMillis(start),
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
    const bytes = await compose({ replyTo: { name: 'Büro', address: 'ops@example.com' } });
    expect(header(bytes, 'Auto-Submitted')).toEqual(['auto-generated']);
    expect(header(bytes, 'X-Auto-Response-Suppress')).toEqual(['All']);
    expect(header(bytes, 'Message-ID')).toEqual(['<abc@example.com>']);
    expect(header(bytes, 'Precedence')).toEqual([]);
    expect(header(bytes, 'List-Unsubscribe')).toEqual([]);
    const { replyTo } = await simpleParser(bytes);
    expect(replyTo?.value).toEqual([{ name: 'Büro', address: 'ops@example.com' }]);
  });

  it('let recipients unsubscribe by mail', async () => {
    const bytes = await compose({ unsubscribe: { mailto: 'stop@example.com' } });
    expect(header(bytes, 'List-Unsubscribe')).toEqual(['<mailto:stop@example.com?subject=unsubscribe>']);
    // Mail programs would post to a web address, and there is none.
    expect(header(bytes, 'List-Unsubscribe-Post')).toEqual([]);
  });

  it('let recipients unsubscribe with one click when the address identifies them', async () => {
    const url = `https://example.com/stop/${'long/'.repeat(40)}?who={recipient}`;
    const bytes = await compose({ unsubscribe: { mailto: 'stop@example.com', url } }, 'a&b+c@example.com');
    expect(header(bytes, 'List-Unsubscribe')).toEqual([
      `<mailto:stop@example.com?subject=unsubscribe>, <${url.replace('{recipient}', 'a%26b%2Bc%40example.com')}>`,
    ]);
    expect(header(bytes, 'List-Unsubscribe-Post')).toEqual(['List-Unsubscribe=One-Click']);
  });

  it.each(['https://example.com/stop', 'http://127.0.0.1/stop?who={recipient}'])(
    'promise no one-click unsubscribe for %s',
    async (url) => {
      const bytes = await compose({ unsubscribe: { url } });
      expect(header(bytes, 'List-Unsubscribe')).toHaveLength(1);
      expect(header(bytes, 'List-Unsubscribe-Post')).toEqual([]);
    },
  );

  it('cannot be extended through an address', async () => {
    const bytes = await compose({
      unsubscribe: { mailto: 'stop@example.com', url: 'https://example.com/>\r\nBcc: <evil@example.com' },
    });
    expect(header(bytes, 'Bcc')).toEqual([]);
    expect(header(bytes, 'List-Unsubscribe')[0]).not.toMatch(/<https[^>]*[\s<]/);
  });
});
