import type * as SecretsManager from '@aws-sdk/client-secrets-manager';

export type AwsModule = Pick<
  typeof SecretsManager,
  'SecretsManagerClient' | 'GetSecretValueCommand' | 'PutSecretValueCommand' | 'DescribeSecretCommand'
>;

export type LoadAws = () => Promise<AwsModule>;
