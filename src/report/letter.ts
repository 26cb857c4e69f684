import { markup, trusted } from './markup.ts';
import type { Html } from './markup.ts';
import { mailDocument } from './render-html.ts';
import { colour, font } from './styles.ts';

/** A part of a letter: its heading, and below it lines of a name and what is said. */
export type LetterBlock = {
  readonly heading: string;
  readonly tone: 'bad' | 'good';
  readonly lines: readonly (readonly [string, string])[];
};

/** A mail without figures: something went wrong, or is over. */
export type Letter = {
  readonly subject: string;
  readonly title: string;
  readonly blocks: readonly LetterBlock[];
  readonly closing: string;
};

const blockHtml = ({ heading, tone, lines }: LetterBlock): Html => {
  const [colourOf, name] = tone === 'bad' ? [colour.bad, 'bd'] : [colour.good, 'gd'];
  const rows = lines.map(
    ([label, words]) =>
      markup`<tr><td class="sf" width="96" style="padding:4px 12px 4px 0;vertical-align:top;font-size:13px;line-height:20px;color:${colour.soft}">${label}</td><td class="ik nm" style="padding:4px 0;vertical-align:top;font-size:14px;line-height:20px;color:${colour.ink}">${words}</td></tr>\n`,
  );
  return markup`<tr><td class="ln" style="padding:20px 0 0"><div class="${name} nm" style="padding:0 0 4px;font-size:18px;line-height:24px;font-weight:700;color:${colourOf}">${heading}</div>\n<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows}</table></td></tr>\n`;
};

const textOf = ({ title, blocks, closing }: Letter): string =>
  [
    title,
    ...blocks.map(({ heading, lines }) =>
      [heading, ...lines.map(([label, words]) => `  ${label}: ${words}`)].join('\n'),
    ),
    closing,
  ].join('\n\n');

/** A letter as HTML and as text; every text in it is escaped. */
export const renderLetter = (letter: Letter): { readonly html: string; readonly text: string } => {
  const top = markup`<div class="sf nm" style="font-size:13px;line-height:18px;color:${colour.soft}">Tollkeeper · ${letter.title}</div>`;
  const footer = markup`<tr><td class="sf nm" style="padding:28px 0 0;font-size:12px;line-height:18px;color:${colour.soft}">${letter.closing}</td></tr>`;
  const content = markup`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="${trusted(font)}">\n<tr><td>${top}</td></tr>\n${letter.blocks.map(blockHtml)}${footer}\n</table>`;
  const preheader = letter.blocks[0]?.lines.at(-1)?.[1] ?? letter.title;
  return {
    html: mailDocument({ locale: 'en', subject: letter.subject, preheader, content }),
    text: `${textOf(letter)}\n`,
  };
};
