import type { HttpRequest } from '../http/index.ts';

export type Scope = 'account:read' | 'logs:read' | 'usage:read' | 'keys:read' | 'keys:write';

export type Endpoint = {
  readonly method: HttpRequest['method'];
  readonly path: string;
  /** The path with names in place of ids; the path itself if omitted. */
  readonly template?: string;
  /** The scope that the Admin Key needs. */
  readonly scope: Scope;
};
