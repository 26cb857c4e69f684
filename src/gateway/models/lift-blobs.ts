import { fault } from '../../core/index.ts';
import {
  base64Prefix,
  createBase64Decoder,
  type Blobs,
  type BlobStore,
  type BlobWriter,
  type SavedBlob,
} from './blobs.ts';

/** Shorter strings stay in the JSON: a blob of less is decoded where it is used. */
const longString = 32 * 1024;

const quote = 0x22;
const backslash = 0x5c;

type Lifting = {
  readonly writer: BlobWriter;
  readonly decoder: ReturnType<typeof createBase64Decoder>;
};

const undecodable = (): Error =>
  fault('gateway-answer-unreadable', 'an image or sound of the answer is not valid base64', {
    advice: 'nothing of it was saved; the call may have been charged: check the call log',
  });

/**
 * Reads JSON and passes its long strings in base64 to a store, so that an image of any size takes little memory. In the
 * JSON a mark stands for each. @throws Fault gateway-answer-unreadable, gateway-answer-too-large
 */
export const liftBlobs = async (
  body: AsyncIterable<Uint8Array>,
  { store, mark, limit }: { readonly store: BlobStore; readonly mark: string; readonly limit: number },
): Promise<{ readonly text: string; readonly blobs: Blobs }> => {
  const blobs = new Map<string, SavedBlob>();
  const kept: Buffer[] = [];
  let size = 0;
  const keep = (bytes: Buffer): void => {
    size += bytes.length;
    if (size > limit)
      throw fault('gateway-answer-too-large', `the answer has more than ${limit} bytes beside its images`);
    kept.push(bytes);
  };

  let held: Buffer[] = [];
  let heldSize = 0;
  let inString = false;
  // Whether the string was found to be a text, however long it is.
  let isText = false;
  let escaped = false;
  let lifting: Lifting | undefined;

  const decode = async ({ decoder, writer }: Lifting, piece: string): Promise<void> => {
    const bytes = decoder.push(piece);
    if (bytes === undefined) throw undecodable();
    if (bytes.length > 0) await writer.write(bytes);
  };
  const release = (): void => {
    for (const piece of held) keep(piece);
    [held, heldSize] = [[], 0];
  };
  const startLifting = async (): Promise<void> => {
    const start = Buffer.concat(held).toString('latin1').replaceAll('\\/', '/');
    const prefix = base64Prefix(start);
    if (prefix === undefined) {
      isText = true;
      release();
      return;
    }
    lifting = { decoder: createBase64Decoder(), writer: await store.open() };
    [held, heldSize] = [[], 0];
    await decode(lifting, start.slice(prefix.length));
  };
  const add = async (bytes: Buffer): Promise<void> => {
    if (lifting !== undefined) return decode(lifting, bytes.toString('latin1'));
    if (isText) return keep(bytes);
    // A copy, since a piece of the body is larger than what is held of it.
    held.push(Buffer.from(bytes));
    heldSize += bytes.length;
    if (heldSize > longString && !escaped) await startLifting();
  };
  const endString = async (): Promise<void> => {
    if (lifting === undefined) release();
    else {
      const last = lifting.decoder.end();
      if (last === undefined) throw undecodable();
      if (last.length > 0) await lifting.writer.write(last);
      const name = `${mark}${blobs.size}`;
      const { writer } = lifting;
      lifting = undefined;
      blobs.set(name, await writer.close());
      keep(Buffer.from(name));
    }
    [inString, isText] = [false, false];
  };

  try {
    for await (const piece of body) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      let slash = bytes.indexOf(backslash);
      for (let at = 0; at < bytes.length;) {
        if (escaped) {
          const character = bytes.subarray(at, at + 1);
          escaped = false;
          at += 1;
          if (lifting !== undefined) await add(character);
          else await add(Buffer.concat([Buffer.from('\\'), character]));
          continue;
        }
        const end = bytes.indexOf(quote, at);
        if (!inString) {
          const next = end === -1 ? bytes.length : end + 1;
          keep(Buffer.from(bytes.subarray(at, next)));
          inString = end !== -1;
          at = next;
          continue;
        }
        if (slash !== -1 && slash < at) slash = bytes.indexOf(backslash, at);
        const stop = Math.min(end === -1 ? bytes.length : end, slash === -1 ? bytes.length : slash);
        if (stop > at) await add(bytes.subarray(at, stop));
        at = stop + 1;
        if (stop === slash) escaped = true;
        else if (stop === end) {
          await endString();
          keep(Buffer.from('"'));
        }
      }
    }
    if (lifting !== undefined)
      throw fault('gateway-connection-lost', 'the answer ended within an image or sound', {
        retryHelps: false,
        advice: 'nothing of it was saved; the call may have been charged: check the call log',
      });
    release();
    return { text: Buffer.concat(kept).toString('utf8'), blobs };
  } catch (error) {
    await lifting?.writer.abandon();
    throw error;
  }
};

/** A body that is an image or a sound itself. */
export const saveBody = async (body: AsyncIterable<Uint8Array>, store: BlobStore): Promise<SavedBlob> => {
  const writer = await store.open();
  try {
    for await (const piece of body) await writer.write(piece);
    return await writer.close();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
};
