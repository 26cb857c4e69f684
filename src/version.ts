import { readFileSync } from 'node:fs';
import { packageRoot } from './package-root.ts';

/** The version of this program, from its package.json. */
export const version: string = (
  JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }
).version;

const readBuildStamp = (): number | undefined => {
  try {
    const stamp = JSON.parse(readFileSync(new URL('build.json', import.meta.url), 'utf8')) as {
      builtAt: string;
    };
    return Date.parse(stamp.builtAt);
  } catch {
    return undefined;
  }
};

/** When this program was built, in milliseconds UTC; nothing when it runs from its sources. No clock before it is right. */
export const builtAt = readBuildStamp();
