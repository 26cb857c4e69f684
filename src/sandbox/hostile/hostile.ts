import type { Answer } from '../answer-shape.ts';
import type { Request } from '../request.ts';
import { behaviours } from './behaviours.ts';

/** Hostile or broken behaviours of a gateway, outside the contract, to test a client. */
export const hostileNames: readonly string[] = Object.keys(behaviours);

/** @throws RangeError naming an unknown behaviour. */
export const checkHostile = (name: string): string => {
  if (name !== 'none' && !Object.hasOwn(behaviours, name))
    throw new RangeError(`unknown hostile behaviour "${name}"; it can be none, ${hostileNames.join(', ')}`);
  return name;
};

export const hostileAnswer = (name: string, answer: Answer, request: Request): Answer =>
  behaviours[name]?.[1](answer, request) ?? answer;

export const hostileHelp = (): string =>
  hostileNames.map((name) => `  ${name.padEnd(20)}${behaviours[name]?.[0] ?? ''}`).join('\n');
