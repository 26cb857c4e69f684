import { htmlChange } from './html-change.ts';
import { sectionHtml } from './html-sections.ts';
import { html, trusted } from './html.ts';
import type { Html } from './html.ts';
import type { HeadlineModel, ReportModel } from './model.ts';
import { colour, font, styleBlocks } from './styles.ts';

const headlineHtml = (headline: HeadlineModel): Html => {
  const change = headline.change.direction === 'unknown' ? html`` : html`${htmlChange(headline.change)} `;
  const cause =
    headline.cause === undefined
      ? undefined
      : html`<div class="ik nm" style="padding:10px 0 0;font-size:16px;line-height:24px;color:${colour.ink}">
          ${headline.cause}
        </div>`;
  return html`<div
      class="ik hd"
      style="font-size:40px;line-height:48px;font-weight:700;letter-spacing:-0.5px;color:${colour.ink};font-variant-numeric:tabular-nums"
    >
      ${headline.value.text}
    </div>
    <div class="sf" style="font-size:14px;line-height:20px;color:${colour.soft}">
      ${change}${headline.compared}
    </div>
    ${cause}`;
};

/** Keeps the client from filling its preview line up with the text of the mail. */
const previewFiller = trusted('&#847;&zwnj;&nbsp;'.repeat(60));

/**
 * The mail as HTML: tables for layout, styles inline, style blocks for dark grounds and narrow screens; complete with
 * images off. Every text from outside is escaped.
 */
export const renderHtml = (model: ReportModel): string =>
  html`<!DOCTYPE html>
    <html lang="${model.locale}" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no" />
        <title>${model.subject}</title>
        ${styleBlocks.map(
          (block) => html`<style>
            ${trusted(block)}
          </style> `,
        )}
      </head>
      <body class="pg" style="margin:0;padding:0;background:${colour.page}">
        <div
          style="display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;color:${colour.page}"
        >
          ${model.preheader}${previewFiller}
        </div>
        <table
          role="presentation"
          class="pg"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          bgcolor="${colour.page}"
          style="background:${colour.page}"
        >
          <tr>
            <td class="ot" align="center" style="padding:16px 0">
              ${trusted('<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td><![endif]-->')}
              <table
                role="presentation"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                style="max-width:600px;margin:0 auto"
              >
                <tr>
                  <td
                    class="cd"
                    bgcolor="${colour.card}"
                    align="left"
                    style="padding:32px;border-radius:12px;background:${colour.card};${trusted(font)}"
                  >
                    <table
                      role="presentation"
                      width="100%"
                      cellpadding="0"
                      cellspacing="0"
                      style="${trusted(font)}"
                    >
                      <tr>
                        <td>
                          <div
                            class="sf nm"
                            style="padding:0 0 8px;font-size:13px;line-height:18px;color:${colour.soft}"
                          >
                            ${model.title} · ${model.account} · ${model.period}
                          </div>
                          ${headlineHtml(model.headline)}
                        </td>
                      </tr>
                      ${model.sections.map(sectionHtml)}
                      <tr>
                        <td
                          class="sf ln nm"
                          style="padding:28px 0 0;font-size:12px;line-height:18px;color:${colour.soft}"
                        >
                          ${model.footer.map((line) => html`<div>${line}</div> `)}
                        </td>
                      </tr>
                    </table>
                  </td>
                </tr>
              </table>
              ${trusted('<!--[if mso]></td></tr></table><![endif]-->')}
            </td>
          </tr>
        </table>
      </body>
    </html> `.html;
