import { markup, trusted, type Html } from './markup.ts';
import type { Locale } from '../../messages/index.ts';
import { alertLinkDays } from '../../monitoring/index.ts';
import { showName } from '../compose/names.ts';
import { meterHtml, type Meter } from './meter.ts';
import { mailDocument } from './render-html.ts';
import { colour, fontOf } from './styles.ts';
import { padEnd, padStart, widthOf, wrap } from './text-width.ts';

type Tone = 'bad' | 'good';

/** A section of an alert email: its heading, omitted if the title suffices, and lines with a name and a text. */
export type AlertBlock = {
  readonly heading?: string;
  readonly tone: Tone;
  readonly lines: readonly (readonly [string, string])[];
  /** A bar that shows an amount beside a budget; its figures are also in the lines. */
  readonly meter?: Meter;
  /** Amounts by name, such as the models of a budget. */
  readonly tables?: readonly {
    readonly title: string;
    readonly rows: readonly { readonly name: string; readonly amount: string; readonly share: string }[];
  }[];
};

type Table = NonNullable<AlertBlock['tables']>[number];

/** A mail without figures: a problem has begun or ended. Text between `backticks` is shown as code. */
export type AlertEmail = {
  readonly title: string;
  /** The language of the texts. */
  readonly locale: Locale;
  /** Bad when any block is, if omitted. */
  readonly tone?: Tone;
  /** What mail clients show beside the subject; the first line of the first block, if omitted. */
  readonly preview?: string;
  readonly blocks: readonly AlertBlock[];
  readonly closing: readonly string[];
  /** The setting that holds the recipients, `mail.operators`: where readers can stop the mail. */
  readonly recipients: string;
  /** The public URL of the status page. */
  readonly page?: string | undefined;
  /** The URL at which recipients acknowledge or mute the alert. */
  readonly action?: string | undefined;
};

/** Reasons and names quote external text: one line, no direction controls, limited length. */
const longest = 1200;
const longestTitle = 300;
const longestHeading = 120;
const longestName = 40;

const mono = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:0.93em';

/** Short parts of a command do not wrap: a line that ends in `--` could not be copied. */
const codeWord = (word: string): Html =>
  word.length > 28 ? markup`${word}` : markup`<span style="white-space:nowrap">${word}</span>`;

/** Formats text between two backticks as code; escapes every part. */
const withCode = (text: string): readonly Html[] =>
  text.split(/(`[^`]+`)/).map((part) => {
    if (!/^`[^`]+`$/.test(part)) return markup`${part}`;
    const sentences = part
      .slice(1, -1)
      .split(' ')
      .map((word, at) => markup`${at === 0 ? '' : ' '}${codeWord(word)}`);
    return markup`<span style="${trusted(mono)}">${sentences}</span>`;
  });

const toned = (tone: Tone): readonly [string, string] =>
  tone === 'bad' ? [colour.bad, 'bd'] : [colour.good, 'gd'];

const layout = trusted('role="presentation" width="100%" cellpadding="0" cellspacing="0"');

const lineHtml = ([label, message]: readonly [string, string]): Html =>
  markup`<tr><td class="sf" width="84" style="width:84px;padding:5px 12px 5px 0;vertical-align:top;font-size:13px;line-height:22px;color:${colour.soft}">${label}</td><td class="ik nm" style="padding:5px 0;vertical-align:top;font-size:15px;line-height:22px;color:${colour.ink}">${withCode(message)}</td></tr>\n`;

const tableHtml = ({ title, rows }: Table): Html => {
  const text = 'font-size:14px;line-height:20px';
  const figure = trusted(`padding:4px 0 4px 12px;${text};text-align:right;white-space:nowrap`);
  const head = markup`<tr><td class="sf" colspan="3" style="padding:10px 0 2px;font-size:13px;line-height:20px;color:${colour.soft}">${title}</td></tr>\n`;
  // Figures are as wide as the widest one, so that tables below each other line up.
  return markup`<table ${layout}>${head}${rows.map(
    ({ name, amount, share }) =>
      markup`<tr><td class="ik nm" width="100%" style="width:100%;padding:4px 0;${trusted(text)};color:${colour.ink}">${name}</td><td class="ik" style="${figure};color:${colour.ink}">${amount}</td><td class="sf" style="min-width:52px;${figure};color:${colour.soft}">${share}</td></tr>\n`,
  )}</table>`;
};

const blockHtml = ({ heading, tone, lines, meter, tables = [] }: AlertBlock, budget: string): Html => {
  const [ink, name] = toned(tone);
  const head =
    heading === undefined
      ? undefined
      : markup`<div class="${name} nm" style="padding:0 0 6px;font-size:16px;line-height:24px;font-weight:700;color:${ink}">${heading}</div>\n`;
  return markup`<tr><td style="padding:16px 0 0"><table ${layout}><tr><td class="ln" style="padding:14px 0 0;border-top:1px solid ${colour.line}">${head}${meter === undefined ? undefined : meterHtml(meter, tone, budget)}<table ${layout}>${lines.map(lineHtml)}</table>${tables.map(tableHtml)}</td></tr></table></td></tr>\n`;
};

const columns = 72;

const lineText = ([label, message]: readonly [string, string], { labelled }: Locale): string => {
  const [first = '', ...rest] = wrap(labelled(label, message), columns - 4);
  return [`  ${first}`, ...rest.map((line) => `    ${line}`)].join('\n');
};

const tableText = ({ title, rows }: Table): readonly string[] => {
  const widths = [
    Math.max(...rows.map(({ amount }) => widthOf(amount))),
    Math.max(...rows.map(({ share }) => widthOf(share))),
  ] as const;
  const nameWidth = Math.min(
    columns - 8 - widths[0] - widths[1],
    Math.max(...rows.map(({ name }) => widthOf(name))),
  );
  return [
    '',
    `  ${title}`,
    ...rows.map(
      ({ name, amount, share }) =>
        `    ${padEnd(name, nameWidth)} ${padStart(amount, widths[0])}  ${padStart(share, widths[1])}`,
    ),
  ];
};

const textOf = ({ title, blocks, closing, action }: AlertEmail, locale: Locale): string =>
  [
    ...wrap(title, columns),
    ...blocks.map(({ heading, lines, tables = [] }) =>
      [
        '',
        ...(heading === undefined ? [] : wrap(heading, columns)),
        ...lines.map((line) => lineText(line, locale)),
        ...tables.flatMap(tableText),
      ].join('\n'),
    ),
    // On a line of its own: a link that is wrapped cannot be opened.
    ...(action === undefined ? [] : ['', ...wrap(locale.mails.actionIntro(alertLinkDays), columns), action]),
    ...closing.flatMap((sentence, at) => [...(at === 0 ? [''] : []), ...wrap(sentence, columns)]),
  ].join('\n');

/** What messages to chats say, a paragraph each. */
const paragraphsOf = (
  { title, blocks, closing, action }: AlertEmail,
  { labelled, mails }: Locale,
): readonly string[] => [
  title,
  ...blocks.flatMap(({ heading, lines, tables = [] }) => [
    ...(heading === undefined ? [] : [heading]),
    ...lines.map(([label, message]) => labelled(label, message)),
    ...tables.map((table) =>
      tableText(table)
        .map((line) => line.trim())
        .join(' ')
        .trim(),
    ),
  ]),
  ...(action === undefined ? [] : [`${mails.actionIntro(alertLinkDays)} ${action}`]),
  ...(closing.length === 0 ? [] : [closing.join(' ')]),
];

/** A name at the beginning keeps its case. */
const capital = (title: string): string =>
  title.replace(/^(?:the|a) /, (word) => word.replace(/^./, (letter) => letter.toUpperCase()));

const shownOf = (given: AlertEmail, { mails }: Locale): AlertEmail => ({
  ...given,
  title: showName(capital(given.title), longestTitle),
  blocks: given.blocks.map(({ heading, lines, tables = [], ...block }) => ({
    ...block,
    ...(heading === undefined ? {} : { heading: showName(heading, longestHeading) || mails.unnamed }),
    lines: lines.map(([label, message]) => [label, showName(message, longest)] as const),
    tables: tables.map(({ title, rows }) => ({
      title,
      rows: rows.map(({ name, ...figures }) => ({ ...figures, name: showName(name, longestName) })),
    })),
  })),
  closing: [
    ...given.closing,
    ...(given.page === undefined ? [] : [mails.statusPage(given.page)]),
    mails.recipients(given.recipients),
  ].map((sentence) => showName(sentence, longest)),
});

/** An alert email as HTML and as text; escapes every text. */
export const renderAlertEmail = (
  given: AlertEmail,
): {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly paragraphs: readonly string[];
} => {
  const { locale } = given;
  const { mails, messages, tag } = locale;
  const preview = given.preview ?? given.blocks[0]?.lines[0]?.[1] ?? given.title;
  const tone = given.tone ?? (given.blocks.some((block) => block.tone === 'bad') ? 'bad' : 'good');
  const alertEmail = shownOf(given, locale);
  const { title, blocks, closing, action } = alertEmail;
  const subject = `Tollkeeper: ${title}`;
  const [ink, name] = toned(tone);
  const top = markup`<div class="sf" style="font-size:13px;line-height:18px;color:${colour.soft}">Tollkeeper</div>\n<div class="${name} nm" style="padding:4px 0 0;font-size:24px;line-height:32px;font-weight:700;color:${ink}">${title}</div>`;
  const link =
    action === undefined
      ? undefined
      : markup`<tr><td style="padding:16px 0 0"><a href="${action}" class="ik" style="display:inline-block;padding:8px 14px;border:1px solid ${colour.soft};border-radius:6px;font-size:15px;line-height:22px;color:${colour.ink};text-decoration:none">${mails.action}</a> <span class="sf" style="font-size:13px;line-height:22px;color:${colour.soft}">${mails.actionLimits(alertLinkDays)}</span></td></tr>\n`;
  const sentences = closing.map((sentence) => markup`<div>${withCode(sentence)}</div>\n`);
  const footer = markup`<tr><td style="padding:16px 0 0"><table ${layout}><tr><td class="ln sf nm" style="padding:14px 0 0;border-top:1px solid ${colour.line};font-size:13px;line-height:20px;color:${colour.soft}">${sentences}</td></tr></table></td></tr>`;
  const content = markup`<table ${layout} style="${trusted(fontOf(tag))}">\n<tr><td>${top}</td></tr>\n${blocks.map((block) => blockHtml(block, messages.budgets.budget))}${link}${footer}\n</table>`;
  return {
    subject,
    html: mailDocument({ locale: tag, subject, preheader: showName(preview, longest), content }),
    text: `${textOf(alertEmail, locale)}\n`,
    paragraphs: paragraphsOf(alertEmail, locale),
  };
};
