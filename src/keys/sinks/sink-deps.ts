import type { Clock, NamedGates, SecretRegistry } from '../../core/index.ts';
import type { Http } from '../../http/index.ts';
import type { SinkFiles } from './sink-files.ts';

export type SinkDeps = {
  readonly http: Http;
  /** A transport that additionally trusts these certificate authorities (PEM texts); the caller closes it. */
  readonly openHttp: (ca: readonly string[]) => Http;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths. */
  readonly cwd: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly secrets: SecretRegistry;
  /** Serializes read-modify-write cycles per place; shared by all sinks of the process. */
  readonly gates: NamedGates;
  /** Folder of the pod's service account; the default of Kubernetes if omitted. */
  readonly serviceAccount?: string;
  /** Replaced in tests. */
  readonly files?: SinkFiles;
};
