import { afterAll } from 'vitest';

/** What a test may not leave open: servers that listen, processes, watchers of files. */
const kinds = new Set(['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap', 'FSEventWrap', 'StatWatcher']);

const open = (): string[] => process.getActiveResourcesInfo().filter((kind) => kinds.has(kind));

const before = open().length;

/** A server that was closed is still listed until its close has come through. */
const turns = 50;

afterAll(async () => {
  for (let turn = 0; turn < turns && open().length > before; turn += 1) await new Promise(setImmediate);
  const left = open();
  if (left.length > before) throw new Error(`the tests of this file left open: ${left.join(', ')}`);
});
