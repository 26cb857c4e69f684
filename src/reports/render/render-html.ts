import type { LocaleTag } from '../../core/index.ts';
import { htmlChange } from './html-change.ts';
import { sectionHtml } from './html-sections.ts';
import { localeOf } from '../../messages/index.ts';
import { markup, trusted, type Html } from './markup.ts';
import type { HeadlineModel, ShownReport } from '../compose/model.ts';
import { colour, fontOf, styleBlocks } from './styles.ts';

const layout = 'role="presentation" width="100%" cellpadding="0" cellspacing="0"';

const headlineHtml = (headline: HeadlineModel): Html => {
  const change = headline.change.direction === 'unknown' ? markup`` : markup`${htmlChange(headline.change)} `;
  const cause =
    headline.cause === undefined
      ? undefined
      : markup`<div class="ik nm" style="padding:10px 0 0;font-size:16px;line-height:24px;color:${colour.ink}">${headline.cause}</div>`;
  const value = markup`<div class="ik hd" style="font-size:40px;line-height:48px;font-weight:700;letter-spacing:-0.5px;color:${colour.ink};font-variant-numeric:tabular-nums">${headline.value.text}</div>`;
  const compared = markup`<div class="sf" style="font-size:14px;line-height:20px;color:${colour.soft}">${change}${headline.compared}</div>`;
  return markup`${value}\n${compared}${cause}`;
};

const head = (subject: string): Html => {
  const styles = styleBlocks.map((block) => markup`<style>${trusted(block)}</style>\n`);
  const metas = [
    'charset="utf-8"',
    'name="viewport" content="width=device-width,initial-scale=1"',
    'name="color-scheme" content="light dark"',
    'name="supported-color-schemes" content="light dark"',
    'name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no"',
  ].map((attributes) => trusted(`<meta ${attributes}>\n`));
  return markup`<head>\n${metas}<title>${subject}</title>\n${styles}</head>`;
};

/** Keeps the client from filling its preview line with the text of the mail. */
const previewFiller = trusted('&#847;&zwnj;&nbsp;'.repeat(60));

const preheader = (text: string): Html =>
  markup`<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;color:${colour.page}">${text}${previewFiller}</div>`;

const content = (model: ShownReport): Html => {
  const top = markup`<div class="sf nm" style="padding:0 0 8px;font-size:13px;line-height:18px;color:${colour.soft}">${model.title} · ${model.account} · ${model.period}</div>`;
  const lines = model.footer.map((line) => markup`<div>${line}</div>\n`);
  const footer = markup`<tr><td class="sf nm" style="padding:28px 0 0;font-size:12px;line-height:18px;color:${colour.soft}">${lines}</td></tr>`;
  return markup`<table ${trusted(layout)} style="${trusted(fontOf(model.locale))}">\n<tr><td>${top}\n${headlineHtml(model.headline)}</td></tr>\n${model.sections.map(sectionHtml)}${footer}\n</table>`;
};

/** Old Outlook does not support max-width: a table of fixed width around the card, visible only there. */
const forOutlook = (inner: Html): Html =>
  markup`${trusted('<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td><![endif]-->')}\n${inner}\n${trusted('<!--[if mso]></td></tr></table><![endif]-->')}`;

const card = (inner: Html, locale: LocaleTag): Html =>
  markup`<table ${trusted(layout)} style="max-width:600px;margin:0 auto"><tr><td class="cd" bgcolor="${colour.card}" align="left" style="padding:32px;border-radius:12px;background:${colour.card};${trusted(fontOf(locale))}">\n${inner}\n</td></tr></table>`;

const page = (inner: Html): Html =>
  markup`<table ${trusted(layout)} class="pg" bgcolor="${colour.page}" style="background:${colour.page}"><tr><td class="ot" align="center" style="padding:16px 0">\n${inner}\n</td></tr></table>`;

export type MailDocument = {
  readonly locale: LocaleTag;
  readonly subject: string;
  /** What mail clients show beside the subject. */
  readonly preheader: string;
  readonly content: Html;
};

/** A mail around its content: styles for dark mode and narrow screens, the preheader, the card. */
export const mailDocument = ({ locale, subject, preheader: preview, content: inner }: MailDocument): string =>
  markup`<!DOCTYPE html>\n<html lang="${localeOf(locale).lang}" dir="ltr">\n${head(subject)}\n<body class="pg" style="margin:0;padding:0;background:${colour.page}">\n${preheader(preview)}\n${page(forOutlook(card(inner, locale)))}\n</body>\n</html>\n`
    .html;

/**
 * The mail as HTML: tables for layout, inline styles, style blocks for dark mode and narrow screens; complete without
 * images. Escapes every external text.
 */
export const renderHtml = (model: ShownReport): string => mailDocument({ ...model, content: content(model) });
