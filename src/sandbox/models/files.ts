import { crc32, deflateSync } from 'node:zlib';
import { unknownRoute, type Answer } from '../answer.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';

/** Depends only on the text or tokens. */
export const seedOf = (input: string | readonly number[]): number => {
  let seed = 17;
  for (const unit of typeof input === 'string' ? Buffer.from(input) : input)
    seed = (Math.imul(seed, 31) + unit) | 0;
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

const chunk = (type: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
};

/** A PNG with a gradient whose colours depend on the seed (RGB, 8 bits; PNG specification, third edition). */
export const png = (width: number, height: number, seed: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  const [red, green, blue] = [seed & 255, (seed >> 8) & 255, (seed >> 16) & 255];
  for (let y = 0; y < height; y += 1) {
    const start = y * (1 + width * 3) + 1;
    const shade = Math.floor((y * 255) / height);
    for (let x = 0; x < width; x += 1)
      rows.set([(red + shade) & 255, (green + shade) & 255, (blue + shade) & 255], start + x * 3);
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
};

/** Bytes and samples of a frame: MPEG-1 layer III, 32 kbit/s, 44,100 Hz, one channel. */
const frame = { bytes: 104, samples: 1152, rate: 44_100 };

/** Silence: frames whose side information is all zero. */
const mp3 = (seconds: number): Buffer => {
  const count = Math.ceil((seconds * frame.rate) / frame.samples);
  const sound = Buffer.alloc(count * frame.bytes);
  for (let at = 0; at < count; at += 1) sound.set([0xff, 0xfb, 0x10, 0xc0], at * frame.bytes);
  return sound;
};

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
