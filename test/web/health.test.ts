import { describe, expect, it } from 'vitest';
import { listenForHealth } from '../../src/web/index.ts';
import { createThrottle } from '../../src/web/throttle.ts';
import { manualClock } from '../support/manual-clock.ts';

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

const fixture = () => {
  const clock = manualClock();
  const throttle = createThrottle(clock);
  const wrong = (address: string, times: number): void => {
    for (let time = 0; time < times; time += 1) throttle.wrong(address);
  };
  return { clock, throttle, wrong };
};

describe('the throttle of wrong tokens', () => {
  it('blocks every address after a hundred of them from many addresses', () => {
    const { clock, throttle, wrong } = fixture();
    for (let one = 0; one < 99; one += 1) wrong(`10.0.1.${one}`, 1);
    expect(throttle.isBlocked('10.0.0.2')).toBe(false);
    wrong('10.0.2.1', 1);
    expect(throttle.isBlocked('10.0.0.2')).toBe(true);
    clock.advance(60_000);
    expect(throttle.isBlocked('10.0.0.2')).toBe(false);
  });

  it('holds after a clock was set back by some seconds', () => {
    const { clock, throttle, wrong } = fixture();
    wrong('10.0.0.1', 10);
    clock.advance(-30_000);
    expect(throttle.isBlocked('10.0.0.1')).toBe(true);
  });
});
