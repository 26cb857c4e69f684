import type { IncomingHttpHeaders } from 'node:http';

export type Request = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Scheme, host and port as the client wrote them: the prefix of links in answers. */
  readonly origin: string;
  readonly id: string;
  /** The parsed JSON body; undefined without one. */
  readonly body: unknown;
  /** The raw body, for digits that parsing loses. */
  readonly text: string;
};

/** A whole number of the query; undefined when missing, NaN when invalid. */
export const wholeParameter = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  return /^-?\d{1,16}$/u.test(text) ? Number(text) : Number.NaN;
};

/** The digits of a number in a JSON body, as written. */
export const writtenNumber = (text: string, name: string): string | undefined =>
  [...text.matchAll(new RegExp(`"${name}"\\s*:\\s*(-?\\d[\\d.eE+-]*)`, 'gu'))].at(-1)?.[1];

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const bearer = (headers: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(?<value>\S+)\s*$/iu.exec(headers.authorization ?? '')?.groups?.['value'];
