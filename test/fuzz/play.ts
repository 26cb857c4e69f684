import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutated } from './mutate.ts';
import { createRandom } from './random.ts';
import type { Target } from './target.ts';

/** Bounds of one case, in seconds of CPU and megabytes of the process. */
const bounds = { seconds: 10, megabytes: 700 };

const corpusIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  } catch {
    return [];
  }
};

export type Played = { readonly cases: number; readonly longest: number; readonly megabytes: number };

/**
 * Plays the corpus, then new cases for so many seconds. The file holds the case that runs, so that one that ends the
 * process is known. @throws the error of the case; a RangeError for one that exceeds its bounds
 */
export const play = async (
  target: Target,
  options: {
    readonly seconds: number;
    readonly seed: number;
    readonly corpus: string;
    readonly current: string;
    readonly now: () => number;
  },
): Promise<Played> => {
  const corpus = corpusIn(options.corpus);
  const random = createRandom(options.seed);
  await using opened = await target.open();
  const end = options.now() + options.seconds * 1000;
  let [cases, longest] = [0, 0];
  for (; cases < corpus.length + target.seeds.length || options.now() < end; cases += 1) {
    const known = [...target.seeds, ...corpus];
    const text = known[cases] ?? mutated(known, target.grammar, random);
    writeFileSync(options.current, text);
    const before = process.cpuUsage();
    await opened.run(text);
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    longest = Math.max(longest, seconds);
    if (seconds > bounds.seconds) throw new RangeError(`the case takes ${seconds} s of CPU`);
    const megabytes = process.memoryUsage.rss() / 2 ** 20;
    if (megabytes > bounds.megabytes) throw new RangeError(`the process takes ${Math.round(megabytes)} MB`);
  }
  return { cases, longest, megabytes: process.resourceUsage().maxRSS / 1024 };
};
