import { chartFonts } from './chart-fonts.ts';
import { contentWidth } from '../render/html-sections.ts';

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
