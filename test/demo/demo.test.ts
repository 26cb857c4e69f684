import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSecretRegistry, noProgress, systemClock } from '../../src/core/index.ts';
import { runDemo } from '../../src/demo/index.ts';
import { exemptFile, watchOutput, watchSecret } from '../support/secret-watch.ts';

it('the demo reconciles, sends mail and rotates the key of an application whose calls never fail', async () => {
  const out = await mkdtemp(join(tmpdir(), 'tollkeeper-demo-'));
  watchSecret('demo-password');
  exemptFile(join(out, 'secrets/billing.env'));
  let [output, warned] = ['', ''];
  try {
    await runDemo({
      env: {},
      cwd: out,
      systemRoot: '/',
      out,
      clock: systemClock,
      random: Math.random,
      secrets: createSecretRegistry(),
      stdout: { write: (text) => void (output += text), isTerminal: false, columns: 100 },
      stderr: { write: (text) => void (warned += text), isTerminal: false, columns: 100 },
      signal: new AbortController().signal,
      onHangup: () => ({ [Symbol.dispose]: () => undefined }),
      onUserSignal: () => ({ [Symbol.dispose]: () => undefined }),
      progress: noProgress,
      endProgress: () => undefined,
      traffic: { months: 2, callsPerDay: 20 },
    });
    expect(warned).toBe('');
    // A further line of a wrapped text begins with an indent.
    for (const message of [
      'equal to the last decimal',
      'the gateway counts no write',
      /budget-alerts: 2 budgets evaluated: 1 exceeded; 2 thresholds newly reached, 0 recovered; 1 notification enqueued/,
      /budget-alerts, a day later: 2 budgets evaluated: 0 exceeded; 0 thresholds newly reached, 0 recovered, 2 ended; 0 notifications enqueued/,
      /Overlap: billing and billing\.g2-[a-z]\d[a-z]\d both work/,
      /billing\.g2-[a-z]\d[a-z]\d is left\. The application made \d+ calls, read 2 keys, and none of its calls failed\./,
    ])
      expect(output.replaceAll('\n   ', ' ')).toMatch(message);
    expect(await readFile(join(out, 'secrets/billing.env'), 'utf8')).toMatch(
      /^# of the billing service\nREGION=eu\nGATEWAY_API_KEY=sk-\w{48}\n$/,
    );
    expect(await readdir(join(out, 'mails'))).not.toEqual([]);
    const shown = output.trimEnd().split('\n');
    expect(shown.length).toBeLessThanOrEqual(40);
    expect(shown.filter((line) => line.length > 100)).toEqual([]);
    watchOutput('output of the demo', output);
  } finally {
    await rm(out, { recursive: true });
  }
});
