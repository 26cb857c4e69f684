import { describe, expect, it } from 'vitest';
import { load } from './support/load.ts';

const withMail = (more: string) =>
  load(
    {
      'config/tollkeeper.yaml': `mail: { smtp: "\${SMTP_URL}", from: reports@example.com${more} }\n`,
      'config/jobs/a.yaml': 'jobs:\n',
    },
    { SMTP_URL: 'smtp://localhost:25' },
  );

describe('the mail rate and retention', () => {
  it.each([
    ['30/m', { count: 30, per: 60_000 }],
    ['5/s', { count: 5, per: 1000 }],
    ['500/h', { count: 500, per: 3_600_000 }],
    ['2000/d', { count: 2000, per: 86_400_000 }],
  ])('accept the rate %s', async (rate, read) => {
    const { config, text } = await withMail(`, rate: ${rate}, keep: 30d`);
    expect(text).toBe('');
    expect(config?.settings.mail).toMatchObject({ rate: read, keep: 30 * 86_400_000 });
  });

  it('default to no limit and 90 days', async () => {
    const { config } = await withMail('');
    expect(config?.settings.mail?.rate).toBeUndefined();
    expect(config?.settings.mail?.keep).toBe(90 * 86_400_000);
  });

  it.each(['0/m', '30', '30/w', '-1/m', '1.5/s', 'fast'])('reject %s as a rate', async (rate) => {
    expect((await withMail(`, rate: "${rate}"`)).text).toContain('must be a rate');
  });
});
