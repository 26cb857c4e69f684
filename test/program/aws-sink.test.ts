import { expect, it } from 'vitest';
import { serve } from '../keys/sinks/support.ts';
import { buildProgram } from './support/built-program.ts';
import { openFixture, pullLogs } from './support/fixture.ts';

it('the bundled SDK of AWS reads a secret of Secrets Manager for doctor', async () => {
  await using program = await buildProgram();
  await using fixture = await openFixture(program);
  await using aws = await serve(() => ({
    status: 200,
    body: { Name: 'prod/billing', VersionId: 'v1', SecretString: 'text', VersionStages: ['AWSCURRENT'] },
  }));
  const { state } = fixture.sandbox;
  state.keys.create({
    name: 'billing',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: state.seconds(),
  });
  fixture.env['AWS_ID'] = 'AKIAIOSFODNN7EXAMPLE';
  fixture.env['AWS_KEY'] = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  await fixture.jobs(
    pullLogs('schedule: "7 * * * *"'),
    `rotate: { kind: rotate-keys, keys: { name: billing }, every: 30d, mode: plan, deliver: [{ aws: { secret: prod/billing, region: eu-central-1, endpoint: "${aws.url}", access_key_id: "\${AWS_ID}", secret_access_key: "\${AWS_KEY}" } }] }`,
  );
  const { stdout, stderr } = await fixture.command('doctor');
  expect(
    aws.seen.map(({ headers }) => headers['x-amz-target']),
    `${stdout}${stderr}`,
  ).toContain('secretsmanager.GetSecretValue');
  expect(stdout).toContain('AWS secret prod/billing');
});
