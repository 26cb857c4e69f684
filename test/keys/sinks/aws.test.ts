import { describe, expect, it } from 'vitest';
import type { AwsSpec } from '../../../src/keys/sinks/aws/settings.ts';
import {
  delivery,
  key,
  never,
  older,
  openSinkFixture,
  plaintext,
  secretOf,
  sha,
  thrownBy,
  serve,
  type Fake,
  type Reply,
} from './support.ts';

const secretKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

type Version = { readonly id: string; readonly text: string };

const fault = (type: string, message: string, status = 400): Reply => ({
  status,
  body: { __type: type, message },
  headers: { 'x-amzn-errortype': type },
});

/** Answers as the API reference of Secrets Manager says: a token that is known does nothing, or fails when the value differs. */
const openAws = async (versions: Version[]) => {
  let current = versions.at(-1)?.id;
  const fake = await serve(({ headers, body }) => {
    const asked = JSON.parse(body);
    if (asked.SecretId !== 'prod/billing')
      return fault('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    if (headers['x-amz-target'] === 'secretsmanager.GetSecretValue') {
      const version = versions.find(({ id }) => id === current);
      if (version === undefined)
        return fault(
          'ResourceNotFoundException',
          "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
        );
      return {
        status: 200,
        body: {
          Name: asked.SecretId,
          VersionId: version.id,
          SecretString: version.text,
          VersionStages: ['AWSCURRENT'],
        },
      };
    }
    const { ClientRequestToken: id, SecretString: text } = asked;
    const known = versions.find((one) => one.id === id);
    if (known !== undefined && known.text !== text)
      return fault('ResourceExistsException', 'the token was used');
    if (known === undefined) {
      versions.push({ id, text });
      current = id;
    }
    return { status: 200, body: { Name: asked.SecretId, VersionId: id, VersionStages: ['AWSCURRENT'] } };
  });
  return { fake, roll: (id: string) => (current = id) };
};

const spec = ({ url }: Fake, change: Partial<AwsSpec> = {}): AwsSpec => ({
  kind: 'aws',
  secret: 'prod/{service}',
  region: 'eu-central-1',
  endpoint: url,
  credentials: { accessKeyId: secretOf('AKIAIOSFODNN7EXAMPLE'), secretAccessKey: secretOf(secretKey) },
  ...change,
});

describe('a secret of AWS', () => {
  it('contains the key, put once; a repeated delivery creates no second version', async () => {
    await using fixture = await openSinkFixture();
    const versions = [{ id: 'v1', text: older }];
    const { fake, roll } = await openAws(versions);
    const sink = fixture.sink(spec(fake));
    expect(await sink.problems(never)).toEqual([]);
    expect(fake.seen.every(({ headers }) => String(headers['x-amz-target']).endsWith('GetSecretValue'))).toBe(
      true,
    );
    await sink.deliver(key, delivery, never);
    await sink.deliver(key, delivery, never);
    expect(versions).toHaveLength(2);
    expect(versions[1]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{64}$/), text: plaintext });
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'holds', fingerprint: sha(plaintext) });
    // Two tries that saw the same version are one: the answer of the first was lost.
    roll('v1');
    versions.splice(1);
    await Promise.all([sink, fixture.sink(spec(fake))].map((one) => one.deliver(key, delivery, never)));
    expect(versions).toHaveLength(2);
  });

  it('is a field of a JSON object, and other fields stay as written, even when an older version is restored', async () => {
    await using fixture = await openSinkFixture();
    const text = (value: string) => `{ "user":"é", "n": 1.0, "key" : "${value}" }`;
    const versions = [{ id: 'v1', text: text(older) }];
    const { fake, roll } = await openAws(versions);
    const sink = fixture.sink(spec(fake, { field: 'key' }));
    await sink.deliver(key, delivery, never);
    expect(versions[1]?.text).toBe(text(plaintext));
    versions.push({ id: 'v3', text: text(older) });
    roll('v3');
    await sink.deliver(key, delivery, never);
    expect(versions[3]?.text).toBe(text(plaintext));
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'holds', fingerprint: sha(plaintext) });
  });

  it('without a value gets its first one; a missing secret is not created', async () => {
    await using fixture = await openSinkFixture();
    const versions: Version[] = [];
    const { fake } = await openAws(versions);
    const sink = fixture.sink(spec(fake));
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'empty' });
    await sink.deliver(key, delivery, never);
    expect(versions.map(({ text }) => text)).toEqual([plaintext]);
    const missing = fixture.sink(spec(fake, { secret: 'prod/none' }));
    expect(await missing.problems(never)).toMatchObject([
      { advice: expect.stringContaining('create the secret first') },
    ]);
    expect(await thrownBy(missing.deliver(key, delivery, never))).toMatchObject({ code: 'sink-refused' });
  });

  it.each<[Reply, string]>([
    [fault('AccessDeniedException', `no, ${plaintext}`), 'sink-refused'],
    [fault('UnrecognizedClientException', 'The security token is invalid.'), 'sink-refused'],
    [fault('DecryptionFailure', 'KMS'), 'sink-refused'],
    [{ status: 200, body: { VersionId: 'v1', SecretBinary: 'AAAA' } }, 'sink-refused'],
    [{ status: 307, headers: { location: 'http://elsewhere.example.com/' } }, 'sink-failed'],
  ])('fails the delivery with %j', async (reply, code) => {
    await using fixture = await openSinkFixture();
    const fake = await serve(() => reply);
    const error = await thrownBy(fixture.sink(spec(fake)).deliver(key, delivery, never));
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toMatch(/sk-Np|wJalr/);
    expect(fake.seen.some(({ headers }) => String(headers['x-amz-target']).endsWith('PutSecretValue'))).toBe(
      false,
    );
  });
});
