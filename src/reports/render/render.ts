import { isolateNames } from '../../core/index.ts';
import { cidOf } from '../charts/chart-cid.ts';
import { chartSvg } from '../charts/chart-svg.ts';
import { escapeHtml } from './markup.ts';
import type { ReportModel, ShownReport } from '../compose/model.ts';
import { withClasses } from './page-styles.ts';
import { renderHtml } from './render-html.ts';
import { renderText } from './render-text.ts';
import { chartFonts } from '../charts/chart-fonts.ts';
import { contentWidth } from './html-sections.ts';

/** The picture at twice its display size, on a transparent background. */
export const drawPng = async (svg: string, fonts: readonly string[] = chartFonts()): Promise<Uint8Array> => {
  const { renderAsync } = await import('@resvg/resvg-js');
  const image = await renderAsync(svg, {
    fitTo: { mode: 'width', value: contentWidth * 2 },
    font: {
      loadSystemFonts: false,
      fontFiles: [...fonts],
      defaultFontFamily: 'Inter',
      sansSerifFamily: 'Inter',
    },
  });
  return image.asPng();
};

export type ReportImage = {
  /** Content-ID without angle brackets; the HTML refers to it as `cid:…`. */
  readonly cid: string;
  readonly filename: string;
  readonly png: Uint8Array;
  readonly alt: string;
};

type Rendered = {
  readonly html: string;
  readonly text: string;
  readonly images: readonly ReportImage[];
};

/** The whole report; `mail` is what a mail shows of it. */
export type RenderedReport = Rendered & {
  readonly subject: string;
  readonly preheader: string;
  readonly mail: Rendered;
};

/** Pictures that are drawn already are used again. */
const render = async (
  model: ShownReport,
  htmlOf: (model: ShownReport) => string,
  drawn: readonly ReportImage[] = [],
): Promise<Rendered> => {
  const images: ReportImage[] = [];
  for (const section of model.sections) {
    if (section.kind !== 'chart') continue;
    const cid = cidOf(section);
    if (images.some((image) => image.cid === cid)) continue;
    const png = drawn.find((image) => image.cid === cid)?.png ?? (await drawPng(chartSvg(section, model)));
    images.push({ cid, filename: `chart-${images.length + 1}.png`, png, alt: section.alt });
  }
  return { html: htmlOf(model), text: renderText(model), images };
};

/** HTML, text, and the pictures of the HTML. With `before`, a rendering of the same report, only the mail is rendered. */
export const renderReport = async (model: ReportModel, before?: RenderedReport): Promise<RenderedReport> => {
  const { subject, preheader, mail } = model;
  const isWhole = mail.sections === model.sections;
  const pageOf = (shown: ShownReport): string => withClasses(renderHtml(shown));
  const whole = before ?? (await render(model, isWhole ? renderHtml : pageOf));
  return {
    ...whole,
    subject,
    preheader,
    mail: isWhole ? whole : await render(mail, renderHtml, whole.images),
  };
};

/** The HTML as one self-contained file: pictures are inlined as `data:` URIs. */
export const standaloneHtml = (rendered: Pick<RenderedReport, 'html' | 'images'>): string =>
  rendered.images.reduce(
    (html, { cid, png }) =>
      html.replaceAll(
        `src="cid:${escapeHtml(cid)}"`,
        `src="data:image/png;base64,${Buffer.from(png).toString('base64')}"`,
      ),
    isolateNames(rendered.html),
  );
