import type { Secret } from '../../core/index.ts';

/** Whose key it is; what `{account}` and `{service}` stand for in a spec. */
export type SinkNames = { readonly account: string; readonly service: string };

/** What of a file is the key. */
export type FileHolds =
  | { readonly kind: 'variable'; readonly name: string }
  /** RFC 6901. */
  | { readonly kind: 'pointer'; readonly pointer: string }
  | { readonly kind: 'raw' };

export type FileSpec = {
  readonly kind: 'file';
  readonly path: string;
  readonly holds: FileHolds;
  /** Permission bits; 0600 when left out. */
  readonly mode?: number | undefined;
};

/** How a program is run: never through a shell. */
export type CommandRequest = {
  readonly argv: readonly string[];
  /** Names of variables that it is given beside PATH, HOME and the like. */
  readonly env: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
};

export type CommandSpec = CommandRequest & {
  readonly kind: 'command';
  /** Prints the SHA-256 of what is there now; it gets no secret. */
  readonly read?: readonly string[] | undefined;
};

export type WebhookSpec = {
  readonly kind: 'webhook';
  readonly url: Secret;
  readonly secret: Secret;
};

/** A token given outright, or a file that is read at each use, since agents renew it. */
export type TokenSource = { readonly token: Secret } | { readonly tokenFile: string };

export type VaultSpec = {
  readonly kind: 'vault';
  readonly address: string;
  readonly mount: string;
  readonly path: string;
  readonly field: string;
  readonly token: TokenSource;
  readonly namespace?: string | undefined;
  /** PEM file of an issuer to trust besides the usual ones. */
  readonly ca?: string | undefined;
};

/** A cluster that is reached from outside; otherwise the service account of the pod is taken. */
export type ClusterSpec = {
  readonly server: string;
  readonly token: TokenSource;
  readonly ca?: string | undefined;
};

export type WorkloadKind = 'deployment' | 'statefulset' | 'daemonset';

export type KubernetesSpec = {
  readonly kind: 'kubernetes';
  readonly cluster?: ClusterSpec;
  /** That of the pod when left out. */
  readonly namespace?: string | undefined;
  readonly secret: string;
  readonly key: string;
  /** What is restarted by a changed annotation once the Secret holds another key. */
  readonly rollout: readonly { readonly kind: WorkloadKind; readonly name: string }[];
};

export type AwsSpec = {
  readonly kind: 'aws';
  /** Name or ARN. */
  readonly secret: string;
  /** Of a secret that is a JSON object; the whole secret is the key when left out. */
  readonly field?: string | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  /** The SDK's own chain (environment, shared files, roles) when left out. */
  readonly credentials?: {
    readonly accessKeyId: Secret;
    readonly secretAccessKey: Secret;
    readonly sessionToken?: Secret | undefined;
  };
};

export type AgeSpec = {
  readonly kind: 'age';
  readonly path: string;
  /** `age1…` */
  readonly recipients: readonly string[];
};

/** A place that keys are delivered to, as somebody declared it; relative paths start at the working directory. */
export type SinkSpec = FileSpec | CommandSpec | WebhookSpec | VaultSpec | KubernetesSpec | AwsSpec | AgeSpec;
