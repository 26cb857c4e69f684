import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry } from '../../src/core/index.ts';
import { slackBody } from '../../src/notify/channels/slack/chat-slack.ts';
import { teamsBody } from '../../src/notify/channels/teams/chat-teams.ts';
import { webhookBody } from '../../src/notify/channels/webhook/webhook-body.ts';
import { createHttp } from '../../src/http/index.ts';
import { createRoute, mailFolder, notify } from '../../src/notify/index.ts';
import { discordBody } from '../../src/notify/channels/discord/chat-discord.ts';
import { ntfyBody } from '../../src/notify/channels/ntfy/definition.ts';
import { telegramBody } from '../../src/notify/channels/telegram/chat-telegram.ts';
import { approved, titled } from '../support/approved.ts';
import { runs } from '../support/storm.ts';
import { announcement, saying } from './support/announcements.ts';
import { mail, openOutboxFixture, start } from './support/outbox-fixture.ts';
import { openWebServer } from './support/web-server.ts';

const envelope = { id: 'a1b2c3', at: start };

type Node = { readonly [key: string]: unknown };

const secretOf = (value: string) => createSecretRegistry().register(value);

/** Every map below a value, the value itself first. */
const nodes = (value: unknown): readonly Node[] => {
  if (Array.isArray(value)) return value.flatMap(nodes);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(nodes)];
};

const texts = [
  '<!channel> <!here> <@U123> <https://evil.example|click>',
  '@channel @everyone @all',
  '[click](https://evil.example) ![x](https://evil.example/x.png)',
  '*bold* _italic_ ~strike~ `code` ```block``` > quote',
  ':rotating_light: :smile:',
  '{{DATE(2020-01-01T00:00:00Z, SHORT)}} ${x} <at>all</at>',
  '</script><img src=x onerror=alert(1)> &amp; &lt;',
  '"},{"type":"actions"',
  'line\nbreak\r\n\u2028and\u202eright to left\u200b',
  '名前🙂'.repeat(200),
  '👩‍👩‍👧‍👦'.repeat(100),
  '\ud800 half',
  'x'.repeat(50_000),
  'قسم'.repeat(200),
  'א1 '.repeat(200),
];
/** By a title that reports can show. */
const hostile = texts.map((text) => [JSON.stringify(text.slice(0, 60)), text] as const);

describe('Slack', () => {
  it('shows the total, figures, the first rows of tables and the source, and so do the other chats', async () => {
    const { text, blocks } = JSON.parse(slackBody(announcement, envelope)) as {
      text: string;
      blocks: Node[];
    };
    const card = JSON.parse(teamsBody(announcement, envelope)) as Node;
    expect(blocks[0]).toMatchObject({ type: 'header', block_id: 'a1b2c3' });
    const content = { type: 'AdaptiveCard', version: '1.5' };
    const contentType = 'application/vnd.microsoft.card.adaptive';
    expect(card).toMatchObject({ type: 'message', attachments: [{ contentType, content }] });
    const textsOf = (value: unknown): string =>
      nodes(value)
        .flatMap((node) => (typeof node['text'] === 'string' ? [node['text']] : []))
        .join('\n');
    const shown = titled([
      ['Slack', textsOf(blocks)],
      ['Slack, in notifications and where no blocks are known', text],
      ['Teams', textsOf(card)],
      ['Telegram', (JSON.parse(telegramBody(announcement)) as TelegramMessage).text],
      ['Discord', (JSON.parse(discordBody(announcement)) as { content: string }).content],
      ['ntfy', ntfyBody(announcement)],
    ]);
    await expect(shown).toMatchFileSnapshot(approved('notify/chats'));
  });

  it.each(hostile)('shows %s without mention, link, emoji or markup', (_title, name) => {
    const message = JSON.parse(slackBody(saying(name), envelope)) as Node;
    // Nothing in the blocks is read as markup.
    for (const node of nodes(message['blocks'])) {
      expect(node['type']).not.toBe('mrkdwn');
      if (node['type'] === 'plain_text') expect(node['emoji']).toBe(false);
    }
    const text = String(message['text']);
    expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    expect(text).not.toMatch(/@(?!\u200b)|\]\(|:\/\/|:[a-z0-9_+-]+:/);
    expect(message).toMatchObject({ mrkdwn: false, unfurl_links: false, unfurl_media: false });
  });

  it('keeps within the limits of Slack for any content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (name) => {
        const { blocks } = JSON.parse(slackBody(saying(name), envelope)) as { blocks: Node[] };
        expect(blocks.length).toBeLessThanOrEqual(50);
        expect(JSON.stringify(blocks).length).toBeLessThan(13_000);
        const [header = {}] = blocks;
        expect(String((header['text'] as Node)['text']).length).toBeLessThanOrEqual(150);
        for (const node of nodes(blocks)) {
          if (typeof node['text'] === 'string') expect(node['text'].length).toBeLessThanOrEqual(2000);
          if (Array.isArray(node['fields'])) expect(node['fields'].length).toBeLessThanOrEqual(10);
        }
      }),
      { numRuns: runs(15) },
    );
    for (const name of texts) {
      const { blocks } = JSON.parse(slackBody(saying(name), envelope)) as { blocks: Node[] };
      expect(JSON.stringify(blocks).length).toBeLessThan(13_000);
      const [header = {}] = blocks;
      expect(String((header['text'] as Node)['text']).length).toBeLessThanOrEqual(150);
    }
  });
});

describe('Teams', () => {
  it.each(hostile)('shows %s as literal text', (_title, name) => {
    const body = teamsBody(saying(name), envelope);
    // Teams takes 28 kB.
    expect(Buffer.byteLength(body)).toBeLessThan(28_000);
    const message = JSON.parse(body) as Node;
    const types: Set<string> = new Set(
      nodes(message).flatMap(({ type }) => (typeof type === 'string' ? [type] : [])),
    );
    // A TextBlock or a FactSet would be Markdown, an action or an image something to press or fetch.
    const known =
      /^(?:message|AdaptiveCard|Column|ColumnSet|RichTextBlock|TextRun|Table|TableRow|TableCell)$/;
    for (const type of types) expect(type).toMatch(known);
    expect(body).not.toContain('{{');
    const table = nodes(message).find(({ type }) => type === 'Table');
    // One that is too long for the message is left out.
    if (table !== undefined) expect(table['columns']).toHaveLength(3);
  });
});

type TelegramMessage = {
  readonly text: string;
  readonly entities: readonly { readonly type: string; readonly offset: number; readonly length: number }[];
};

const telegram = (name: string): TelegramMessage => JSON.parse(telegramBody(saying(name))) as TelegramMessage;

describe('Telegram', () => {
  it.each(hostile)('shows %s without markup, mention, command or preview', (_title, name) => {
    const message = telegram(name);
    expect(message).not.toHaveProperty('parse_mode');
    expect(message).toMatchObject({ link_preview_options: { is_disabled: true } });
    const plain = message.entities.reduceRight(
      (text, { type, offset, length }) =>
        type === 'pre' ? text.slice(0, offset) + text.slice(offset + length) : text,
      message.text,
    );
    expect(plain).not.toMatch(/[@#][\p{L}\p{N}_]|:\/\//u);
  });

  it('keeps within 4,096 characters for any content, and styles what is there', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 4000 }), fc.constantFrom(...texts)),
        (name) => {
          const { text, entities } = telegram(name);
          expect(text.length).toBeLessThanOrEqual(4096);
          let end = 0;
          for (const { offset, length } of entities) {
            expect(offset).toBeGreaterThanOrEqual(end);
            end = offset + length;
            expect(end).toBeLessThanOrEqual(text.length);
          }
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('Discord', () => {
  const discord = (name: string) => JSON.parse(discordBody(saying(name))) as { readonly content: string };

  it.each(hostile)('shows %s without mention, markup or preview', (_title, name) => {
    const message = discord(name);
    expect(message).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
    const text = message.content.replaceAll(/```\n[^]*?\n```/g, '').replaceAll(/^\*\*|\*\*$/gm, '');
    expect(text).not.toMatch(/(?<!\\)[*_~`|<>[\]()#]|:\/\/|@(?!\u200b)/);
  });

  it('keeps within 2,000 characters for any content, with every block closed', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 4000 }), fc.constantFrom(...texts)),
        (name) => {
          const { content } = discord(name);
          expect(content.length).toBeLessThanOrEqual(2000);
          expect((content.match(/```/g) ?? []).length % 2).toBe(0);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

it('ntfy gets plain text within 4,000 bytes for any content', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 4000 }), fc.constantFrom(...texts)),
      (name) => {
        expect(Buffer.byteLength(ntfyBody(saying(name)))).toBeLessThanOrEqual(4000);
      },
    ),
    { numRuns: runs(40) },
  );
});

const token = '123456:bot-token-of-the-test';

it.each([
  [
    'telegram',
    { token: secretOf(token), chat: -1_001_234 },
    '/bot123456:bot-token-of-the-test/sendMessage?chat_id=-1001234',
    'application/json; charset=utf-8',
    undefined,
  ],
  ['discord', {}, '/api/webhooks/1/abcdefghijkl?wait=true', 'application/json; charset=utf-8', undefined],
  [
    'ntfy',
    { topic: 'spend', token: secretOf(token) },
    '/spend',
    'text/plain; charset=utf-8',
    `Bearer ${token}`,
  ],
] as const)(
  'a message to %s is posted as stored, and no error quotes its token',
  async (kind, settings, path, type, login) => {
    const hidden = kind === 'discord' ? 'abcdefghijkl' : token;
    let status = 200;
    await using server = await openWebServer((_asked, response) => {
      response.writeHead(status, { 'retry-after': '7' });
      response.end(`no ${hidden}`);
    });
    await using fixture = await openOutboxFixture();
    await using http = createHttp({
      userAgent: 'tollkeeper/test',
      env: {},
      timeouts: { connect: 2000, headers: 2000, idle: 2000, total: 4000 },
    });
    const url = secretOf(kind === 'discord' ? `${server.url}/api/webhooks/1/abcdefghijkl` : server.url);
    const { route } = createRoute('chat', { [kind]: { url, ...settings } }, { http, clock: fixture.clock });
    await notify(
      {
        outbox: fixture.outbox,
        mails: mailFolder(fixture.folder),
        clock: fixture.clock,
        kinds: new Map([['chat', kind]]),
      },
      { ...mail, to: ['chat'] },
      announcement,
    );
    status = 429;
    expect(await fixture.delivery(route).deliver({})).toMatchObject({ sent: 0 });
    expect(fixture.lines.join('\n')).not.toContain(hidden);
    status = 200;
    fixture.clock.advance(3_600_000);
    expect(await fixture.delivery(route).deliver({})).toMatchObject({ sent: 1 });
    const [, asked] = server.asked;
    expect(asked).toMatchObject({ method: 'POST', path });
    expect(asked?.headers['content-type']).toBe(type);
    expect(asked?.headers.authorization).toBe(login);
    expect(server.asked[0]?.body).toBe(asked?.body);
  },
);

describe('a custom webhook', () => {
  it('receives all figures exactly and as displayed', () => {
    const body = JSON.parse(webhookBody(announcement, envelope)) as Node;
    expect(body).toMatchObject({
      version: 1,
      id: 'a1b2c3',
      created_at: '2026-01-02T08:00:00.000Z',
      kind: 'report',
      account: 'main',
      currency: 'USD',
      total: { label: 'Total', exact: '1234.567890123456', text: '$1,234.57' },
      change: { direction: 'up', ratio: '0.123456789012' },
      verdict: { verdict: 'agrees', good: true },
      run_id: 'daily-spend-1',
    });
    expect(body['sections']).toEqual(announcement.sections);
  });

  it('receives names unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const body = JSON.parse(
          Buffer.from(webhookBody(saying(name), envelope), 'utf8').toString('utf8'),
        ) as Node;
        expect(body['title']).toBe(name);
        expect(body['sections']).toEqual(saying(name).sections);
      }),
      { numRuns: runs(20) },
    );
  });
});
