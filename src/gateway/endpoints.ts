import type { HttpRequest } from '../http/index.ts';

export type Scope = 'account:read' | 'logs:read' | 'usage:read' | 'keys:read' | 'keys:write';

export type Endpoint = {
  readonly method: HttpRequest['method'];
  readonly path: string;
  /** What the Admin Key must be allowed. */
  readonly scope: Scope;
};

const keyPath = (id: number): string => {
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`no key id: ${id}`);
  return `/api/token/${id}`;
};

/** The admin endpoints (docs/gateway.md G2.3). */
export const endpoints = {
  profile: { method: 'GET', path: '/api/user/self', scope: 'account:read' },
  statistics: { method: 'GET', path: '/api/log/self/stat', scope: 'logs:read' },
  exportLogs: { method: 'GET', path: '/api/log/self/stream-export', scope: 'logs:read' },
  exportUsage: { method: 'GET', path: '/api/data/self/pivot/stream-export', scope: 'usage:read' },
  listKeys: { method: 'GET', path: '/api/token/', scope: 'keys:read' },
  readKey: (id: number) => ({ method: 'GET', path: keyPath(id), scope: 'keys:read' }),
  createKey: { method: 'POST', path: '/api/token/', scope: 'keys:write' },
  updateKey: { method: 'PUT', path: '/api/token/', scope: 'keys:write' },
  deleteKey: (id: number) => ({ method: 'DELETE', path: keyPath(id), scope: 'keys:write' }),
} as const satisfies Record<string, Endpoint | ((id: number) => Endpoint)>;
