import { cidOf } from '../charts/chart-cid.ts';
import { chartSvg } from '../charts/chart-svg.ts';
import { escapeHtml } from './markup.ts';
import type { ReportModel } from '../build/model.ts';
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

export type RenderedReport = {
  readonly subject: string;
  readonly preheader: string;
  readonly html: string;
  readonly text: string;
  readonly images: readonly ReportImage[];
};

/** The mail of a report: HTML, text, and the pictures of the HTML. */
export const renderReport = async (model: ReportModel): Promise<RenderedReport> => {
  const images: ReportImage[] = [];
  for (const section of model.sections) {
    if (section.kind !== 'chart') continue;
    const png = await drawPng(chartSvg(section, model));
    const cid = cidOf(section);
    if (!images.some((image) => image.cid === cid))
      images.push({ cid, filename: `chart-${images.length + 1}.png`, png, alt: section.alt });
  }
  return {
    subject: model.subject,
    preheader: model.preheader,
    html: renderHtml(model),
    text: renderText(model),
    images,
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
    rendered.html,
  );
