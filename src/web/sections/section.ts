import { z } from 'zod';
import { isoOr, type UnixMillis } from '../../core/index.ts';
import type { Block } from '../blocks.ts';

/** Milliseconds UTC; ISO 8601 in JSON. */
export const time = z.custom<UnixMillis>();

/** Half-open. */
export const timeRange = z.object({ start: time, end: time });

/** The facts of a type that another module defines, of which only the times are named: all else is JSON as it is. */
export const timed = <Facts>(times: { readonly [Name in keyof Facts]?: z.ZodType }): z.ZodType<Facts> =>
  z.looseObject(times as z.ZodRawShape) as unknown as z.ZodType<Facts>;

/** What the texts of sections depend on beside their own facts. */
export type Look = {
  readonly now: UnixMillis;
  /** Of the program. */
  readonly version: string;
  readonly team?: string | undefined;
  readonly hasDaemon: boolean;
  /** Mails that wait, or need a person. */
  readonly unsent: number;
};

/** A part of the status: from its facts come JSON, `status`, the page, and what requires action. */
export type Section<Path extends string, Facts> = {
  /** Where JSON has the facts: `jobs`, `data.rotations`. */
  readonly path: Path;
  readonly facts: z.ZodType<Facts>;
  /** One line each; empty when all is well. */
  readonly needsPerson?: (facts: Facts) => readonly string[];
  readonly blocks?: (facts: Facts, look: Look) => readonly Block[];
  /** The part that is about one team; without it, a team's page shows nothing of the section. */
  readonly ofTeam?: (facts: Facts, team: TeamScope) => Facts;
};

/** What belongs to a team. */
export type TeamScope = {
  readonly isOwnJob: (job: string) => boolean;
  readonly isOwnMail: (job: string, part: string | undefined) => boolean;
  readonly isOwnService: (service: string) => boolean;
};

export const section = <const Path extends string, Facts>(one: Section<Path, Facts>): Section<Path, Facts> =>
  one;

/** The facts of which JSON has these fields, in this order. */
export const picked = <Facts>(fields: { readonly [Name in keyof Facts]?: z.ZodType }): z.ZodType<Facts> =>
  z.object(fields as z.ZodRawShape) as unknown as z.ZodType<Facts>;

/** A field of any type that is JSON as it is. */
export const as = z.unknown();

/** JSON of facts: what the schema marks as a time is ISO 8601. */
export const jsonOf = (schema: unknown, value: unknown): unknown => {
  if (schema === time) return isoOr(value as UnixMillis | undefined);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly)
    return jsonOf(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => jsonOf(schema.element, one));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const shape: Readonly<Record<string, unknown>> = schema.shape;
  const fields = new Map<string, unknown>(Object.entries(value));
  const names = schema.def.catchall === undefined ? Object.keys(shape) : [...fields.keys()];
  return Object.fromEntries(names.map((name) => [name, jsonOf(shape[name], fields.get(name))]));
};
