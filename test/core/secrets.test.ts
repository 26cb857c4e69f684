import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry } from '../../src/core/index.ts';
import { createLog } from '../../src/core/logging/json-log.ts';
import { manualClock } from '../support/manual-clock.ts';

describe('a secret', () => {
  it('is printed as [secret] wherever it is printed by accident', () => {
    const secret = createSecretRegistry().register('sk-admin-1234567890');
    expect(`${secret.toString()} ${JSON.stringify({ secret })}`).toBe('[secret] {"secret":"[secret]"}');
    expect(secret.reveal()).toBe('sk-admin-1234567890');
  });

  it('is redacted from any text in every encoded form', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 6, maxLength: 40 }).filter((text) => text.trim().length >= 6),
        (value) => {
          const registry = createSecretRegistry();
          registry.register(value);
          const written = [
            value,
            JSON.stringify({ value }),
            encodeURIComponent(value),
            Buffer.from(value).toString('base64'),
            Buffer.from(value).toString('hex'),
          ].join(' | ');
          const shown = registry.redact(written);
          expect(shown).toContain('[secret]');
          for (const form of [encodeURIComponent(value), Buffer.from(value).toString('base64')]) {
            expect(shown.replaceAll('[secret]', '')).not.toContain(form);
          }
        },
      ),
    );
  });

  it('is redacted completely if it overlaps another secret or starts like one', () => {
    const registry = createSecretRegistry();
    for (const value of ['abcdefgh', 'efghijklmnop', 'abcd', 'abcdefghXY']) registry.register(value);
    expect(registry.redact('-abcdefghijklmnop-abcdefghXY-abcd-')).toBe('-[secret]-[secret]-[secret]-');
    expect(registry.redact('nothing here')).toBe('nothing here');
  });

  it('is redacted as fast among ten thousand secrets as alone', () => {
    const registry = createSecretRegistry();
    for (let number = 0; number < 10_000; number += 1)
      registry.register(`https://hc.example.com/ping/${number * 7919}-${'x'.repeat(20)}`);
    const line = `call https://hc.example.com/ping/${42 * 7919}-${'x'.repeat(20)} failed`;
    expect(registry.redact(line)).toBe('call [secret] failed');
  });

  it('is redacted when an error quotes an Admin Key without its prefix', () => {
    const { register, redact } = createSecretRegistry();
    register('sk-admin-Xy12345678901234');
    register('sk-short');
    expect(redact('invalid token admin-Xy12345678901234, Xy12345678901234; too short')).toBe(
      'invalid token [secret], [secret]; too short',
    );
  });

  it('is redacted by its shape when it is a key of any length or an age identity', () => {
    const { redact } = createSecretRegistry();
    expect(redact(`key sk-${'a1'.repeat(300)}.`)).toBe('key [secret].');
    expect(redact('identity AGE-SECRET-KEY-1QQPZRY9X8, age-secret-key-1qq')).toBe(
      'identity [secret], [secret]',
    );
  });

  it('never reaches a log line, and the check fails without redaction', () => {
    const registry = createSecretRegistry();
    registry.register('sk-hush-hush');
    const lines: string[] = [];
    const options = {
      write: (line: string) => void lines.push(line),
      level: 'info',
      clock: manualClock(),
    } as const;
    createLog({ ...options, redact: registry.redact }).info('key sk-hush-hush', { key: 'sk-hush-hush' });
    expect(lines.join('')).not.toContain('hush');
    createLog({ ...options, redact: (text) => text }).info('key sk-hush-hush');
    expect(lines.join('')).toContain('hush');
  });

  it('leaves every log line valid JSON, whatever it consists of', () => {
    const lines: string[] = [];
    const registry = createSecretRegistry();
    for (const secret of ['","message":"', '{"level"', '"time"', 'info', ',"', '\\"}'])
      registry.register(secret);
    const log = createLog({
      write: (line) => void lines.push(line),
      level: 'info',
      clock: manualClock(0),
      redact: registry.redact,
    });
    log.info('a "quoted" \\"} text', { field: ',"message":"x"', info: 'info' });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'info', time: '1970-01-01T00:00:00.000Z', info: '[secret]' },
    ]);
  });

  it('is redacted by the shape of a key also when a response contains more keys than are registered', () => {
    const registry = createSecretRegistry();
    const keyOf = (number: number): string => `sk-${String(number).padStart(32, 'k')}`;
    for (let number = 0; number < 10_050; number += 1) registry.registerSeen(keyOf(number));
    const text = `${keyOf(3)} ${keyOf(10_049)} ${keyOf(99_999)} sk-short ${keyOf(7)}${'x'.repeat(5000)}.`;
    expect(registry.redact(text)).toBe('[secret] [secret] [secret] sk-short [secret].');
  });

  it('is redacted in JSON lines with level, injected time and bound fields', () => {
    const lines: string[] = [];
    const log = createLog({
      write: (line) => void lines.push(line),
      level: 'info',
      clock: manualClock(0),
      redact: (text) => text,
    });
    log.with({ job: 'pull-logs' }).warn('late', { minutes: 3 });
    log.debug('not shown');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 'warn', time: '1970-01-01T00:00:00.000Z', job: 'pull-logs', minutes: 3, message: 'late' },
    ]);
  });
});
