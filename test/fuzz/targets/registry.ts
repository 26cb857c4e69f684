import { csv } from './csv.ts';
import { requests } from './requests.ts';
import { responses } from './responses.ts';
import { sql } from './sql.ts';
import { yaml } from './yaml.ts';

export const targets = { responses, csv, yaml, sql, requests } as const;

export type TargetName = keyof typeof targets;

export const isTarget = (name: string): name is TargetName => Object.hasOwn(targets, name);
