import { createRequire } from 'node:module';

const files = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf'];

/** The TTF files for labels: system fonts would differ, and without any font labels are silently omitted. */
export const chartFonts = (): readonly string[] => {
  const require = createRequire(import.meta.url);
  return files.map((file) => require.resolve(`@expo-google-fonts/inter/${file}`));
};
