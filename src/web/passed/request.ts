import { z } from 'zod';

/** Bytes of a form. */
export const maxForm = 16_384;

/** A request for the status page that reached another replica. */
export const passedRequest = z.strictObject({
  method: z.string().max(20),
  url: z.url().max(20_000),
  headers: z.array(z.tuple([z.string(), z.string()])).readonly(),
  body: z.string().max(maxForm),
  /** The address of the client. */
  peer: z.string().max(100),
});

export type PassedRequest = z.infer<typeof passedRequest>;

/** Pages, JSON, feeds and badges are texts. */
export type PassedAnswer = {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
};
