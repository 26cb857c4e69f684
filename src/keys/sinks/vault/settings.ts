import { z } from 'zod';
import { httpsUrl } from '../../../config/index.ts';
import {
  fillNote,
  issuer,
  oneToken,
  text,
  tokenFields,
  tokenOf,
  type TokenSource,
} from '../setting-fields.ts';

export const vaultSettings = z
  .strictObject({
    address: httpsUrl.describe('Address of the server, such as https://vault.example.com:8200.'),
    mount: text.default('secret').describe('Mount path of the KV version 2 engine.'),
    path: text.describe(`Path of the secret below the mount. ${fillNote}`),
    field: text.describe(`Field of the secret that holds the key; other fields are kept. ${fillNote}`),
    ...tokenFields,
    namespace: text.optional().describe('Namespace (Vault Enterprise).'),
    ca: issuer,
  })
  .refine(...oneToken);

export type VaultSpec = {
  readonly kind: 'vault';
  readonly address: string;
  readonly mount: string;
  readonly path: string;
  readonly field: string;
  readonly token: TokenSource;
  readonly namespace?: string | undefined;
  /** PEM file of a certificate authority to trust in addition. */
  readonly ca?: string | undefined;
};

export const vaultSpecOf = (written: z.output<typeof vaultSettings>): VaultSpec => ({
  kind: 'vault',
  address: written.address,
  mount: written.mount,
  path: written.path,
  field: written.field,
  token: tokenOf(written),
  namespace: written.namespace,
  ca: written.ca,
});
