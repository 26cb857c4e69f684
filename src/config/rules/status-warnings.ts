import { isLoopback } from '../../core/index.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import type { Settings } from '../schema/settings-schema.ts';
import type { Checked } from './check.ts';

/**
 * Whether the page may listen on the address that is configured: on loopback anyone may read it, elsewhere only with a token
 * or through a proxy.
 */
export const mayListen = ({ host, token, proxies }: Settings['status']): boolean =>
  isLoopback(host) || token !== undefined || proxies !== undefined;

/** Settings of the page that have no effect. */
export const statusWarnings = ({ value, source }: Checked<Settings>): readonly ConfigFault[] => {
  if (value === undefined || !value.status.enabled) return [];
  const { status } = value;
  return mayListen(status)
    ? []
    : [
        {
          file: source.file,
          ...source.at(['status', 'host']),
          message: `the status page keeps listening on 127.0.0.1 instead of ${status.host}: without a login anyone who reaches that address could read it`,
          advice:
            'add token: "${STATUS_TOKEN}" under status, or the addresses of a proxy that authenticates users: proxies: { addresses: [10.0.0.5] }; or remove host',
        },
      ];
};
