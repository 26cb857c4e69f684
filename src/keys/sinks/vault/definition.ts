import { resolve } from 'node:path';
import { trimEndOf, trimOf } from '../../../core/index.ts';
import { defineSink } from '../definition.ts';
import { anyField, fillName, fillPath } from '../fill.ts';
import { fieldPlace } from '../place.ts';
import { tokenFrom } from '../token.ts';
import { vaultSettings, vaultSpecOf } from './settings.ts';
import { createVaultSink } from './vault-sink.ts';

export const vaultSink = defineSink({
  kind: 'vault',
  description: 'Vault sink: HashiCorp Vault, KV version 2.',
  settings: vaultSettings,
  spec: vaultSpecOf,
  fill: (spec, names, cwd) => ({
    ...spec,
    mount: trimOf(spec.mount, '/'),
    path: trimOf(fillPath(spec.path, names), '/'),
    field: fillName(spec.field, names, anyField, 'name of a field'),
    token: tokenFrom(spec.token, cwd),
    ca: spec.ca === undefined ? undefined : resolve(cwd, spec.ca),
  }),
  place: (spec) => {
    const space = spec.namespace === undefined ? '' : `${spec.namespace}:`;
    return fieldPlace(`vault:${trimEndOf(spec.address, '/')}/${space}${spec.mount}/${spec.path}`, spec.field);
  },
  create: createVaultSink,
});
