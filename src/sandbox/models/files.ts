import { unknownRoute, type Answer } from '../answer.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { mp3, png } from './png.ts';

/** Depends only on the text. */
export const seedOf = (text: string): number => {
  let seed = 17;
  for (const unit of Buffer.from(text)) seed = (Math.imul(seed, 31) + unit) | 0;
  return seed >>> 0;
};

/** Pixels per side; limits the work for one image. */
const LARGEST = 2048;

export const sizeOf = (text: string): { readonly width: number; readonly height: number } | undefined => {
  const match = /^(\d{1,5})x(\d{1,5})$/u.exec(text);
  if (match === null) return undefined;
  const [width, height] = [Number(match[1]), Number(match[2])];
  return width < 1 || height < 1 || width > LARGEST || height > LARGEST ? undefined : { width, height };
};

export const imageLink = ({ origin }: Request, seed: number, width: number, height: number): string =>
  `${origin}/_files/image-${seed}-${width}x${height}.png`;

export const soundLink = ({ origin }: Request, seed: number): string => `${origin}/_files/song-${seed}.mp3`;

const file = (type: string, body: Uint8Array): Answer => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': 'public, max-age=31536000' },
  body,
});

/** GET /_files/NAME: an image or a sound that its name describes. Needs no key, like the links of answers. */
export const files = (state: State, { path }: Request): Answer => {
  const image = /\/image-(\d+)-(\d+x\d+)\.png$/u.exec(path);
  const size = sizeOf(image?.[2] ?? '');
  if (image !== null && size !== undefined)
    return file('image/png', png(size.width, size.height, Number(image[1])));
  return /\/song-\d+\.mp3$/u.test(path) ? file('audio/mpeg', mp3(2)) : unknownRoute(state.variants);
};
