import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { money, toSeconds, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { KeyEvent } from '../../../src/keys/index.ts';
import { daysAgo, surveyed } from '../../keys/plan/survey.ts';
import type { RunChange } from '../../support/job-fixture.ts';
import { approved, titled } from '../../support/approved.ts';
import { openKeyFixture, type KeyFixture } from './key-fixture.ts';

const settings = {
  keys: { name: 'tmp-*' },
  stages: { warn: '90d', expire: '100d', delete: '110d' },
  mode: 'apply',
};

const warned = (keyId: number, days: number): KeyEvent => ({
  what: 'warned',
  at: daysAgo(days),
  who: 'job expire',
  account: 'main',
  service: 's',
  rotation: 'e',
  keyId,
  generation: 1,
  name: 'n',
  stage: 'it is to be ended',
});

describe('expire-keys', () => {
  let fixture: KeyFixture;
  /** Names that were called a day ago. */
  const used = new Set<string>();
  const asked: string[] = [];
  let evidence: RunChange;

  beforeAll(async () => {
    fixture = await openKeyFixture('expire');
    const { warehouse } = fixture.context;
    evidence = {
      ...fixture.change,
      warehouse: {
        ...warehouse,
        keys: {
          ...warehouse.keys,
          logComplete: (account, { start, end }) => {
            asked.push(`log of ${account} for ${(end - start) / 3600} hours`);
            return Promise.resolve({
              complete: false,
              why: 'rows are late',
              through: unixSeconds(end - 600),
            });
          },
          uses: (_account, names, { end }) => {
            asked.push(
              `use of ${names.join(', ')}${end > toSeconds(fixture.clock.now()) ? '' : ' in the past'}`,
            );
            const none = { spend: money('0'), models: [] };
            return Promise.resolve(
              new Map(
                names.map((name) => [
                  name,
                  used.has(name)
                    ? { ...none, calls: 2, lastCall: toSeconds(daysAgo(1)) }
                    : { ...none, calls: 0 },
                ]),
              ),
            );
          },
          idsOf: () => Promise.resolve(new Map()),
        },
      },
    };
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    const { keyService, context } = fixture;
    used.clear();
    asked.length = 0;
    keyService.asked.length = 0;
    keyService.ended.length = 0;
    keyService.stuck.clear();
    keyService.history = [];
    keyService.keys = [
      surveyed('tmp-new', { id: 1, age: 10 }),
      surveyed('tmp-warn', { id: 2, age: 95 }),
      surveyed('tmp-end', { id: 3, age: 105 }),
      surveyed('prod', { id: 4, age: 300, key: { expiredTime: toSeconds(daysAgo(-5)) } }),
    ];
    const takenAt = unixMillis(fixture.clock.now() - 8 * 86_400_000);
    const inventory = await context.warehouse.snapshots.inventoryAt('main', takenAt);
    if (inventory !== undefined) return;
    await context.warehouse.snapshots.land({
      account: 'main',
      takenAt,
      keys: keyService.keys.map(({ key }) => ({ ...key, rest: '{}' })),
    });
  });

  it('warns about keys, ends keys and notifies owners of expiring keys, based on the evidence in the warehouse', async () => {
    const { run, keyService } = fixture;
    keyService.history = [warned(3, 12)];
    const outcome = await run('expire-keys', settings, evidence);
    expect(keyService.ended.map(({ name, action }) => `${name} ${action.kind}`)).toEqual([
      'prod warn',
      'tmp-end expire',
      'tmp-warn warn',
    ]);
    expect(keyService.who.at(-1)).toBe('job expire');
    expect(outcome.figures).toEqual({
      mode: 'apply',
      selected: 3,
      planned: 2,
      skipped: 0,
      notices: 1,
      notified: 0,
    });
    // Of a key that is far from its end nothing is asked.
    expect(asked).toEqual(['log of main for 182 hours', 'use of tmp-end, tmp-warn']);
  });

  it('skips a key that is in use', async () => {
    const { run, keyService } = fixture;
    keyService.history = [warned(3, 12)];
    used.add('tmp-end');
    const outcome = await run('expire-keys', settings, evidence);
    expect(keyService.ended.map(({ name }) => name)).toEqual(['prod', 'tmp-warn']);
    expect(outcome.figures).toMatchObject({ planned: 1, skipped: 1 });
    await run('expire-keys', { ...settings, even_if_used: true }, evidence);
    expect(keyService.ended.map(({ name }) => name)).toContain('tmp-end');
  });

  it('ignores warnings of another job', async () => {
    const { run, keyService } = fixture;
    keyService.history = [{ ...warned(3, 12), who: 'job expire-others' }];
    await run('expire-keys', settings, evidence);
    expect(keyService.ended.map(({ name, action }) => `${name} ${action.kind}`)).toContain('tmp-end warn');
  });

  it('plans by default: it mails the plan and still notifies owners of expiring keys', async () => {
    const { run, keyService, mails, sandbox } = fixture;
    keyService.history = [warned(3, 12)];
    const { mode: _mode, ...planned } = settings;
    const slot = unixMillis(Date.UTC(2026, 10, 21, 3));
    const outcome = await run('expire-keys', planned, { ...evidence, slot });
    expect(keyService.ended.map(({ name, action }) => `${name} ${action.kind}`)).toEqual(['prod warn']);
    expect(outcome.figures).toMatchObject({ planned: 2, notices: 1, notified: 1 });
    expect(sandbox.requests.writes()).toBe(0);
    const [mail] = await mails();
    expect(mail?.text).toMatch(/tmp-end\n.*: it expires at 2026-11-21 06:04 UTC.*\ntmp-warn\n/s);
  });

  it('states what it would do in a dry run, without requests to the key service, and what it did', async () => {
    const { run, plan, keyService } = fixture;
    keyService.history = [warned(3, 12)];
    const { mode: _mode, ...planned } = settings;
    const planMode = await run('expire-keys', planned, { ...evidence, slot: unixMillis(5) });
    keyService.ended.length = 0;
    used.add('tmp-end');
    const dryRun = await plan('expire-keys', settings, evidence);
    expect(keyService.ended).toEqual([]);
    const skipping = await run('expire-keys', settings, evidence);
    used.clear();
    const done = await run('expire-keys', settings, evidence);
    const texts = titled([
      ['plan mode', planMode.summary],
      ['dry run', dryRun.join('\n')],
      ['apply mode, a key is used', skipping.summary],
      ['apply mode', done.summary],
    ]);
    await expect(texts).toMatchFileSnapshot(approved('jobs/expire-keys'));
  });

  it('fails when a key could not be ended, and names the key', async () => {
    const { run, keyService } = fixture;
    keyService.stuck.add('tmp-warn');
    await expect(run('expire-keys', settings, evidence)).rejects.toMatchObject({
      message: 'tmp-warn: the gateway refused',
      retryHelps: false,
    });
  });

  it('ends nothing without evidence: an empty warehouse proves nothing', async () => {
    const { run, keyService } = fixture;
    keyService.history = [warned(3, 12)];
    const outcome = await run('expire-keys', { ...settings, notices: [] }, fixture.change);
    expect(keyService.ended.map(({ name, action }) => `${name} ${action.kind}`)).toEqual(['tmp-warn warn']);
    expect(outcome.figures['skipped']).toBe(1);
  });

  it('ends nothing in a backfill', async () => {
    const { run, plan, keyService } = fixture;
    const past = { ...evidence, trigger: 'backfill' as const };
    expect((await run('expire-keys', settings, past)).summary).toContain('nothing to do');
    expect(await plan('expire-keys', settings, past)).toEqual([expect.stringMatching(/^nothing: /)]);
    expect(keyService.asked).toEqual([]);
  });
});
