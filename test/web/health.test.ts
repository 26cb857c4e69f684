import { describe, expect, it } from 'vitest';
import { listenForHealth } from '../../src/web/index.ts';

describe('the health listener', () => {
  it('reports alive, and ready only when the daemon is ready', async () => {
    let ready = false;
    await using listener = await listenForHealth({
      host: '127.0.0.1',
      port: 0,
      health: () => ({ ready, version: '1.2.3' }),
    });
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${listener.port}${path}`);
      return [answer.status, await answer.json()];
    };
    expect(await get('/healthz')).toEqual([200, { status: 'alive', version: '1.2.3' }]);
    expect(await get('/readyz')).toEqual([503, { status: 'not ready' }]);
    ready = true;
    expect(await get('/readyz')).toEqual([200, { status: 'ready' }]);
  });

  it('names a port that is in use', async () => {
    const health = () => ({ ready: true, version: '1' });
    await using first = await listenForHealth({ host: '127.0.0.1', port: 0, health });
    await expect(listenForHealth({ host: '127.0.0.1', port: first.port, health })).rejects.toThrow(
      /is held by another program/,
    );
  });
});
