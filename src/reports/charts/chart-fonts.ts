import { createRequire } from 'node:module';

const files = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf'];

/** The TTF files the labels are drawn with: the machine's own fonts would differ, and without any the labels are missing without notice. */
export const chartFonts = (): readonly string[] => {
  const require = createRequire(import.meta.url);
  return files.map((file) => require.resolve(`@expo-google-fonts/inter/${file}`));
};
