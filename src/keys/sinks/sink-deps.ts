import type { Clock, NamedGates, SecretRegistry } from '../../core/index.ts';
import type { Http } from '../../http/index.ts';
import type { LoadAws } from './aws/aws-client.ts';
import type { SinkFiles } from './sink-files.ts';

/** What sinks work with; one of it serves all of them. */
export type SinkDeps = {
  readonly http: Http;
  /** A transport that trusts these issuers (PEM texts) besides; whoever opens it closes it. */
  readonly openHttp: (ca: readonly string[]) => Http;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly cwd: string;
  readonly clock: Clock;
  /** 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly secrets: SecretRegistry;
  /** What reads a place, changes it and writes it whole goes one after the other; one for all sinks of the process. */
  readonly gates: NamedGates;
  /** Folder that a pod finds its service account in; Kubernetes' own when left out. */
  readonly serviceAccount?: string;
  /** The file system, unless a test puts another in its place. */
  readonly files?: SinkFiles;
  readonly loadAws?: LoadAws;
};
