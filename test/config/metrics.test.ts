import { describe, expect, it } from 'vitest';
import { load } from './support/load.ts';

const token = '0123456789abcdef';

const withMetrics = (metrics: string, env: Readonly<Record<string, string>> = { METRICS_TOKEN: token }) =>
  load(
    { 'config/tollkeeper.yaml': `timezone: UTC\nmetrics:\n${metrics}`, 'config/jobs/a.yaml': 'jobs:\n' },
    env,
  );

describe('the section metrics', () => {
  it('is off by default, and on loopback', async () => {
    const { config, text } = await withMetrics('  port: 9465\n');
    expect(text).toBe('');
    expect(config?.settings.metrics).toEqual({ enabled: false, host: '127.0.0.1', port: 9465, names: [] });
  });

  it.each(['127.0.0.1', '127.8.0.1', 'localhost', '"::1"'])(
    'accepts the address %s without a token',
    async (host) => {
      expect((await withMetrics(`  enabled: true\n  host: ${host}\n`)).text).toBe('');
    },
  );

  it.each(['0.0.0.0', '"::"', '10.0.0.7', 'metrics.example.com', '127.0.0.1.example.com'])(
    'requires a token for the address %s',
    async (host) => {
      const { text, config } = await withMetrics(`  enabled: true\n  host: ${host}\n`);
      expect(config).toBeUndefined();
      expect(text).toContain('config/tollkeeper.yaml:4:9');
      expect(text).toContain('metrics.host must be a loopback address');
      expect(text).toContain('add token: "${METRICS_TOKEN}" under metrics');
      const with_ = `  enabled: true\n  host: ${host}\n  token: "\${METRICS_TOKEN}"\n`;
      expect((await withMetrics(with_)).text).toBe('');
    },
  );

  it('accepts a token as a reference only, and never shows it', async () => {
    const { text } = await withMetrics(`  token: ${token}\n`);
    expect(text).toContain('metrics.token');
    expect(text).not.toContain(token);
    expect(text).toContain('metrics.token contains a plaintext secret');
  });

  it.each(['short', 'has a space in its middle', 'ключ-для-отчётов-и-метрик'])(
    'rejects the token %s without showing it',
    async (value) => {
      const { text } = await withMetrics('  token: "${METRICS_TOKEN}"\n', { METRICS_TOKEN: value });
      expect(text).toContain('a token of at least 16');
      expect(text).not.toContain(value);
    },
  );

  it('reports a missing token once', async () => {
    const { text } = await withMetrics('  host: 0.0.0.0\n  token: "${METRICS_TOKEN}"\n', {});
    expect(text).toContain('variable METRICS_TOKEN is not set');
    expect(text).not.toContain('loopback');
  });

  it('rejects a host name with a port', async () => {
    expect((await withMetrics('  names: ["tollkeeper:9464"]\n')).text).toContain('must be a host name');
  });
});
