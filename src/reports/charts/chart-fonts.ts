import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../package-root.ts';

const files = ['Inter-Regular.ttf', 'Inter-SemiBold.ttf'];

/** The TTF files for labels: system fonts would differ, and without any font labels are silently omitted. */
export const chartFonts = (): readonly string[] =>
  files.map((file) => fileURLToPath(new URL(`fonts/${file}`, packageRoot)));
