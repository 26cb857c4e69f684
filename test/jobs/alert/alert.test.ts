import { describe, expect, it } from 'vitest';
import { money, unixMillis } from '../../../src/core/index.ts';
import { approved, titled } from '../../support/approved.ts';
import { profileOf } from '../../warehouse/snapshots/snapshots-support.ts';
import { openAlertFixture, budgetOf, threshold, type AlertFixture, type Call } from './alert-fixture.ts';

const calls = (day: string, charge: string): readonly Call[] => [{ at: `${day}T12:00:00Z`, charge }];

const subjectsOf = async (fixture: AlertFixture): Promise<readonly string[]> =>
  (await fixture.mails()).map(({ to, subject }) => `${to}: ${subject}`);

describe('a job of kind alert', () => {
  it('mails operators and owner once when a threshold is reached, once when it recovers, and nothing for a backfill', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf()];
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '790'));
    const quiet = await fixture.evaluate('2026-11-16T00:00:00Z', budgets);
    expect(quiet.figures).toMatchObject({ exceeded: 0, raised: 0, recovered: 0, recipients: 0 });
    await fixture.land('2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z', calls('2026-11-16', '250'));
    const reached = await fixture.evaluate('2026-11-17T00:00:00Z', budgets);
    await fixture.evaluate('2026-11-17T00:00:00Z', budgets);
    expect(await subjectsOf(fixture)).toEqual([
      'ops@example.com: Tollkeeper: Budget all: $1,040.00, 104% of $1,000.00',
      'owner@example.com: Tollkeeper: Budget all: $1,040.00, 104% of $1,000.00',
    ]);
    expect((await fixture.mails())[0]?.text).toContain('$40.00 over');
    // A refund is booked: the same window is restated.
    await fixture.land('2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z', calls('2026-11-16', '10'));
    const recovered = await fixture.evaluate('2026-11-17T01:00:00Z', budgets, { lag: '2h' });
    expect((await subjectsOf(fixture)).slice(2)).toEqual([
      expect.stringMatching(/^ops@.*Budget all .*below .*: \$800\.00, 80% of \$1,000\.00$/),
      expect.stringMatching(/^owner@.*Budget all .*below .*: \$800\.00, 80% of \$1,000\.00$/),
    ]);
    const past = await fixture.evaluate('2026-11-16T00:00:00Z', budgets, {}, { trigger: 'backfill' });
    expect(await fixture.mails()).toHaveLength(4);
    const summaries = titled([
      ['below its thresholds', quiet.summary],
      ['a threshold is reached', reached.summary],
      ['below it again', recovered.summary],
      ['a backfill', past.summary],
    ]);
    await expect(summaries).toMatchFileSnapshot(approved('jobs/alerts'));
  });

  it.each([
    ['en', '80% of the budget, actual $900.00'],
    ['de', 'Außerdem erreicht: 80 % des Budgets'],
    ['zh', '另已达到'],
  ] as const)(
    'names further thresholds that were reached, as shares or amounts, in %s',
    async (locale, text) => {
      await using fixture = await openAlertFixture();
      const thresholds = [threshold('80%', '800'), threshold('900', '900'), threshold('100%', '1000')];
      await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '1050'));
      const budgets = [budgetOf({ thresholds, owner: ['owner@example.com'] })];
      const costOwners = { teams: [], prices: [], operators: ['ops@example.com'], budgets };
      await fixture.evaluate('2026-11-16T00:00:00Z', budgets, {}, { locale, costOwners });
      const [mail] = await fixture.mails();
      expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain(text);
    },
  );

  it('mails nothing twice when two evaluations run at once, or a recipient or a threshold is added later', async () => {
    await using fixture = await openAlertFixture();
    const low = { thresholds: [threshold('80%', '800')] };
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '1050'));
    const slot = '2026-11-16T00:00:00Z';
    const runs = await Promise.all([
      fixture.evaluate(slot, [budgetOf(low)]),
      fixture.evaluate(slot, [budgetOf(low)]),
    ]);
    expect(new Set(runs.map(({ figures }) => figures['raised']))).toEqual(new Set([0, 1]));
    const owner = ['owner@example.com', 'new@example.com'];
    await fixture.evaluate(slot, [budgetOf({ ...low, owner })]);
    expect((await fixture.mails()).map(({ to }) => to)).toEqual(['ops@example.com', 'owner@example.com']);
    await fixture.evaluate(slot, [budgetOf({ owner })]);
    const later = (await fixture.mails()).slice(2);
    expect(later.map(({ to }) => to)).toEqual(['ops@example.com', ...owner]);
    for (const { text } of later) expect(text).not.toContain('80%');
  });

  it('evaluates a period that has ended once more, mails no recovery for its end, and alerts again in the next one', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf({ thresholds: [threshold('100%', '1000')] })];
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-30T20:00:00Z', calls('2026-11-10', '900'));
    await fixture.evaluate('2026-11-30T20:00:00Z', budgets);
    await fixture.land('2026-11-30T20:00:00Z', '2026-12-01T08:00:00Z', [
      { at: '2026-11-30T23:00:00Z', charge: '150' },
    ]);
    await fixture.evaluate('2026-12-01T08:00:00Z', budgets);
    await fixture.evaluate('2026-12-01T08:00:00Z', budgets);
    await fixture.land('2026-12-01T08:00:00Z', '2026-12-02T00:00:00Z', calls('2026-12-01', '1200'));
    await fixture.evaluate('2026-12-02T00:00:00Z', budgets);
    const mails = (await fixture.mails()).filter(({ to }) => to === 'ops@example.com');
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Tollkeeper: Budget all: $1,050.00, 105% of $1,000.00',
      'Tollkeeper: Budget all: $1,200.00, 120% of $1,000.00',
    ]);
    expect(mails[0]?.text).toContain('The period has ended.');
    const log = await fixture.warehouse.alerts.log(10);
    expect(log.map(({ action, detail }) => `${action} ${detail}`)).toEqual([
      'raised actual 100%',
      'ended actual 100%',
      'raised actual 100%',
    ]);
  });

  it('evaluates each scope on its own calls', async () => {
    await using fixture = await openAlertFixture();
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', [
      { at: '2026-11-02T00:00:00Z', model: 'gpt-5', key: 'prod-search', charge: '100' },
      { at: '2026-11-03T00:00:00Z', model: 'gpt-5-mini', key: 'prod-chat', charge: '20' },
      { at: '2026-11-04T00:00:00Z', model: 'claude-5', key: 'ci', charge: '3' },
    ]);
    const named = (name: string, scope: Parameters<typeof budgetOf>[0]) => budgetOf({ name, ...scope });
    const budgets = [
      named('account', {}),
      named('models', { scope: { kind: 'model', name: 'gpt-5*' } }),
      named('keys', { scope: { kind: 'keys', name: 'prod-*' } }),
      named('service', { scope: { kind: 'service', name: 'ci' } }),
      named('team', { scope: { kind: 'team', name: 'search' } }),
      named('day', { period: 'day' }),
    ];
    const teams = [{ name: 'search', keys: ['*-search'], mail: [] }];
    const costOwners = { teams, prices: [], operators: [], budgets };
    await fixture.evaluate('2026-11-16T00:00:00Z', budgets, {}, { costOwners });
    const statuses = await fixture.warehouse.alerts.statuses('main');
    const spend = Object.fromEntries(
      statuses.map(({ alert, status }) => [alert, (JSON.parse(status) as { spend: string }).spend]),
    );
    expect(spend).toEqual({
      account: '123',
      models: '120',
      keys: '120',
      service: '3',
      team: '100',
      day: '0',
    });
  });

  it('evaluates a budget whose stored status has the form of another version', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf()];
    const stored = { alert: 'all', status: '{"kind":"budget","spent":1}', evaluatedAt: unixMillis(0) };
    await fixture.warehouse.alerts.putStatus('main', [stored], []);
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '790'));
    const { figures } = await fixture.evaluate('2026-11-16T00:00:00Z', budgets);
    expect(figures).toMatchObject({ budgets: 1 });
  });

  it('mails a higher threshold and a recovery of a period in one thread for each recipient', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf(), budgetOf({ name: 'models', scope: { kind: 'model', name: 'gpt-5*' } })];
    const land = (day: number, charge: string) =>
      fixture.land(
        `2026-11-${day}T00:00:00Z`,
        `2026-11-${day + 1}T00:00:00Z`,
        calls(`2026-11-${day}`, charge),
      );
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '850'));
    await fixture.evaluate('2026-11-16T00:00:00Z', budgets);
    await land(16, '250');
    const owner = ['owner@example.com', 'new@example.com'];
    const joined = budgets.map((budget) => ({ ...budget, owner }));
    await fixture.evaluate('2026-11-17T00:00:00Z', joined);
    await land(16, '10');
    await fixture.evaluate('2026-11-17T01:00:00Z', joined, { lag: '2h' });
    await fixture.land('2026-11-17T00:00:00Z', '2026-12-02T00:00:00Z', calls('2026-12-01', '900'));
    await fixture.evaluate('2026-12-02T00:00:00Z', joined);

    const all = await fixture.mails();
    for (const name of ['all', 'models'])
      for (const to of ['ops@example.com', 'owner@example.com', 'new@example.com']) {
        const mails = all.filter((mail) => mail.to === to && mail.subject.includes(`Budget ${name}`));
        const first = mails[0]?.messageId;
        const inReplyTo = mails.map((mail) => mail.inReplyTo);
        // Who joined later got no mail about the first threshold.
        if (to === 'new@example.com') expect(inReplyTo).toEqual([undefined, first, undefined]);
        else expect(inReplyTo).toEqual([undefined, first, first, undefined]);
        expect(mails.map(({ references }) => references)).toEqual(inReplyTo);
        expect(mails.at(-2)?.subject).toContain('below its threshold');
        expect(mails.at(-1)?.subject).toContain('$900.00');
      }
  });

  it('does not notify while an alert is muted, and does so once the mute has ended', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf({ owner: [] })];
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '1100'));
    await fixture.warehouse.alerts.mute({
      account: 'main',
      alert: 'all',
      until: unixMillis(Date.parse('2026-11-16T06:00:00Z')),
      mutedAt: unixMillis(Date.parse('2026-11-15T00:00:00Z')),
      by: 'person anna',
    });
    await fixture.evaluate('2026-11-16T00:00:00Z', budgets);
    expect(await fixture.mails()).toEqual([]);
    await fixture.evaluate('2026-11-16T06:00:00Z', budgets, { lag: '7h' });
    expect((await fixture.mails()).map(({ subject }) => subject)).toEqual([
      'Tollkeeper: Budget all: $1,100.00, 110% of $1,000.00',
    ]);
    expect(await fixture.warehouse.alerts.log(10)).toMatchObject([
      { action: 'raised', by: '', detail: 'actual 100%' },
      { action: 'raised', by: '', detail: 'actual 80%' },
      {
        at: Date.parse('2026-11-15T00:00:00Z'),
        account: 'main',
        by: 'person anna',
        action: 'mute',
        subject: 'all',
        detail: 'until 2026-11-16T06:00:00.000Z',
      },
    ]);
  });
});

describe('the cause in an alert', () => {
  it('names what drives the change against the same part of the period before', async () => {
    await using fixture = await openAlertFixture();
    const each = (month: string, charge: string) =>
      Array.from({ length: 10 }, (_, at) => ({
        at: `2026-${month}-0${(at % 9) + 1}T12:00:00Z`,
        key: 'prod-search',
        charge,
      }));
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', [
      ...each('10', '40'),
      ...each('11', '100'),
    ]);
    await fixture.evaluate('2026-11-16T00:00:00Z', [budgetOf({ owner: [] })]);
    const [mail] = await fixture.mails();
    expect(mail?.text.replaceAll(/\s+/g, ' ')).toMatch(
      /Cause: higher unit prices, \+\$600\.00; .*gpt-5 .*prod-search, \+\$600\.00\./,
    );
  });

  it('is left out where the call log does not contain the earlier period, and where spend fell', async () => {
    await using fixture = await openAlertFixture();
    await fixture.land('2026-11-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '1100'));
    await fixture.evaluate('2026-11-16T00:00:00Z', [budgetOf({ owner: [] })]);
    const text = (await fixture.mails())[0]?.text.replaceAll(/\s+/g, ' ');
    expect(text).not.toContain('Cause');
    expect(text).toContain('Models gpt-5 $1,100.00 100.0% Services prod $1,100.00 100.0%');
    expect(text).toContain('$2,278.57 (between $1,100.00 and $3,457.14)');
  });
});

describe('the state of a budget', () => {
  it('is unknown with stale data, and operators are notified of that once when it lasts', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf({ owner: [] })];
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '1100'));
    for (const hour of ['01', '02', '05', '06', '07', '12'])
      await fixture.evaluate(`2026-11-16T${hour}:00:00Z`, budgets);
    expect(await subjectsOf(fixture)).toEqual([expect.stringMatching(/state of 1 budget is unknown$/)]);
    const [status] = await fixture.warehouse.alerts.statuses('main');
    expect(JSON.parse(status?.status ?? '')).toMatchObject({
      state: 'unknown',
      reason: { kind: 'stale' },
      spend: '1100',
    });
    const text = (await fixture.mails())[0]?.text.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/reaches Nov 16, 2026, 00:00 UTC; .* Nov 16, 2026, 06:00 UTC/);
    expect(text).toContain('at least $1,100.00 through Nov 16, 2026, 00:00 UTC');
    await fixture.land('2026-11-16T00:00:00Z', '2026-11-16T13:00:00Z', []);
    await fixture.evaluate('2026-11-16T13:00:00Z', budgets);
    expect((await subjectsOf(fixture)).slice(1)).toEqual([
      expect.stringContaining('Budget all: $1,100.00, 110% of $1,000.00'),
      expect.stringMatching(/budgets is known again$/),
    ]);
  });

  it('is unknown before the first pull, and is never shown as 0', async () => {
    await using fixture = await openAlertFixture();
    await fixture.evaluate('2026-11-16T00:00:00Z', [budgetOf()]);
    const [status] = await fixture.warehouse.alerts.statuses('main');
    const stored = JSON.parse(status?.status ?? '') as Record<string, unknown>;
    expect(stored).toMatchObject({ state: 'unknown', reason: { kind: 'no-data' } });
    expect(stored).not.toHaveProperty('spend');
  });

  it('is unknown for a model that the call log does not contain', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf({ name: 'typo', scope: { kind: 'model', name: 'gtp-5' } })];
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-10-10', '1'));
    await fixture.evaluate('2026-11-16T00:00:00Z', budgets);
    const [status] = await fixture.warehouse.alerts.statuses('main');
    expect(JSON.parse(status?.status ?? '')).toMatchObject({
      state: 'unknown',
      reason: { kind: 'no-calls', nearest: 'gpt-5' },
    });
  });
});

describe('the runway of an account', () => {
  it('alerts once at each level, and again after a top-up', async () => {
    await using fixture = await openAlertFixture();
    const snapshot = async (day: number, balance: string, used: string) => {
      const takenAt = unixMillis(Date.parse(`2026-11-0${day}T00:00:00Z`));
      const profile = profileOf(used, { balance: money(balance) });
      await fixture.warehouse.snapshots.land({ account: 'main', takenAt, profile });
      await fixture.evaluate(`2026-11-0${day}T00:00:00Z`, []);
    };
    await snapshot(1, '200', '0');
    await snapshot(2, '190', '10');
    await snapshot(3, '130', '20');
    await snapshot(4, '120', '30');
    await snapshot(5, '500', '40');
    await snapshot(6, '70', '50');
    const mails = await fixture.mails();
    expect(mails.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/main lasts 13 more days$/),
      expect.stringMatching(/main suffices again$/),
      expect.stringMatching(/main lasts 7\.0 more days$/),
    ]);
    const first = mails[0]?.messageId;
    expect(mails.map(({ inReplyTo }) => inReplyTo)).toEqual([undefined, first, first]);
  });
});

describe('two jobs on parts of the budgets', () => {
  it('keep the states of each other, and each notifies of its own unknown budgets', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [
      budgetOf({ owner: [] }),
      budgetOf({ name: 'typo', owner: [], scope: { kind: 'model', name: 'gtp-5' } }),
    ];
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T08:00:00Z', calls('2026-11-10', '1'));
    for (const hour of ['00', '08'])
      for (const name of ['all', 'typo'])
        await fixture.evaluate(
          `2026-11-16T${hour}:00:00Z`,
          budgets,
          { budgets: [name] },
          { name: `job-${name}` },
        );
    const statuses = await fixture.warehouse.alerts.statuses('main');
    expect(statuses.map(({ alert }) => alert)).toEqual(['all', 'typo']);
    expect(await subjectsOf(fixture)).toEqual([expect.stringMatching(/state of 1 budget is unknown$/)]);
  });

  it('leave alerts that are long over to housekeeping', async () => {
    await using fixture = await openAlertFixture();
    const budgets = [budgetOf({ owner: [], thresholds: [threshold('100%', '1000')] })];
    await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', calls('2026-11-10', '1100'));
    await fixture.evaluate('2026-11-16T00:00:00Z', budgets);
    const later = unixMillis(Date.parse('2027-11-16T00:00:00Z'));
    expect(await fixture.warehouse.alerts.trim(later)).toBe(0);
    expect(await fixture.warehouse.alerts.firing()).toHaveLength(1);
    await fixture.land('2026-11-16T00:00:00Z', '2026-12-02T00:00:00Z', []);
    await fixture.evaluate('2026-12-02T00:00:00Z', budgets);
    expect(await fixture.warehouse.alerts.trim(later)).toBe(1);
    expect(await fixture.warehouse.alerts.records('main')).toEqual([]);
  });
});
