import { messageOf } from '../../core/index.ts';
import { fetchLink, type Blobs, type BlobStore, type LinkDeps, type SavedBlob } from '../../gateway/index.ts';

export type Media =
  | { readonly field: string; readonly saved: SavedBlob }
  | { readonly field: string; readonly link: string; readonly problem: string };

/** Fields of answers that contain images, sounds or videos, or links to them (docs/gateway.md G10.5, G11.2, G12.2, G13.1). */
const inBase64 = new Set(['b64_json', 'image', 'file']);
const links = new Set(['url', 'imageUrl', 'videoUrl', 'audio_url', 'image_url', 'sample']);

type Found = { readonly field: string; readonly text: string; readonly isLink: boolean };

/** Maximum number of files saved per answer. */
const most = 100;

const findMedia = (value: unknown, blobs: Blobs): readonly Found[] => {
  const found: Found[] = [];
  const look = (inner: unknown, path: string): void => {
    if (found.length >= most || typeof inner !== 'object' || inner === null) return;
    for (const [name, part] of Object.entries(inner)) {
      const field = Array.isArray(inner) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      if (typeof part !== 'string') look(part, field);
      else if (blobs.has(part) || (inBase64.has(name) && part.length > 40 && !part.startsWith('http')))
        found.push({ field, text: part, isLink: false });
      else if (links.has(name) && /^https?:\/\//i.test(part)) found.push({ field, text: part, isLink: true });
    }
  };
  look(value, '');
  // An item with both is saved once.
  const items = new Set(
    found.filter(({ isLink }) => !isLink).map(({ field }) => field.replace(/\.\w+$/, '')),
  );
  const texts = new Set<string>();
  return found.filter(({ field, text, isLink }) => {
    if (isLink && items.has(field.replace(/\.\w+$/, ''))) return false;
    const isNew = !texts.has(text);
    texts.add(text);
    return isNew;
  });
};

const decode = async (text: string, store: BlobStore): Promise<SavedBlob | string> => {
  const base64 = text.replace(/^data:[^,]{0,200};base64,/, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) return 'it is not valid base64';
  const writer = await store.open();
  await writer.write(Buffer.from(base64, 'base64'));
  return writer.close();
};

/** A failed file does not stop the others. */
export const saveMedia = async (
  deps: LinkDeps,
  value: unknown,
  blobs: Blobs,
  store: BlobStore,
): Promise<readonly Media[]> => {
  const media: Media[] = [];
  for (const { field, text, isLink } of findMedia(value, blobs)) {
    const shown = isLink ? text : '';
    try {
      const outcome =
        blobs.get(text) ?? (await (isLink ? fetchLink(deps, text, store) : decode(text, store)));
      media.push(
        typeof outcome === 'string' ? { field, link: shown, problem: outcome } : { field, saved: outcome },
      );
    } catch (error) {
      media.push({ field, link: shown, problem: messageOf(error) });
    }
  }
  return media;
};
