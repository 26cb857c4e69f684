import { createRequire } from 'node:module';
import { renderAsync } from '@resvg/resvg-js';
import { contentWidth } from './html-sections.ts';

const files = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf'];

/** The TTF files the labels are drawn with: the machine's own fonts would differ, and without any the labels vanish silently. */
export const chartFonts = (): readonly string[] => {
  const require = createRequire(import.meta.url);
  return files.map((file) => require.resolve(`@expo-google-fonts/inter/${file}`));
};

/** The picture at twice the size it is shown in, on a transparent ground. */
export const drawPng = async (svg: string, fonts: readonly string[] = chartFonts()): Promise<Uint8Array> => {
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
