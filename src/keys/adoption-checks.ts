import { fault, shellWord } from '../core/index.ts';
import { isServiceName } from './plan/key-names.ts';
import type { Rotation } from './model/rotation.ts';

/** Service names occur in paths and commands. @throws Fault wrong-use */
export const checkServiceName = (service: string): void => {
  if (isServiceName(service)) return;
  throw fault('wrong-use', `${JSON.stringify(service)} is not a valid service name`, {
    advice:
      'it is used in paths and commands: choose a short name of letters, digits and hyphens, such as billing',
  });
};

type Adopted = {
  readonly id: number;
  readonly name: string;
  /** The service whose lineage contains the key; undefined if none does. */
  readonly service: string | undefined;
};

/** A key changes its service only on an explicit request. @throws Fault wrong-use */
export const checkMove = ({ id, name, service: own }: Adopted, service: string, move: boolean): void => {
  if (move || own === undefined || own === service) return;
  throw fault('wrong-use', `${name} (id ${id}) is a key of ${own}`, {
    advice: `\`tollkeeper keys list ${shellWord(own)}\` shows its generations; use --move to make it a key of ${service}`,
  });
};

/** An open rotation relies on the lineage that it started with. @throws Fault wrong-use */
export const checkNoneOpen = (open: Rotation | undefined): void => {
  if (open === undefined) return;
  throw fault('wrong-use', `${open.service} has a rotation in progress`, {
    advice: `wait until it completes, or end it with \`tollkeeper keys give-up ${shellWord(open.service)}\``,
  });
};

/** Each successor takes the next number, so an accidental jump would stay in all later names. */
const widestStep = 1000;

/** @throws Fault wrong-use */
export const checkGeneration = (generation: number, highest: number): void => {
  if (generation <= highest + widestStep) return;
  throw fault(
    'wrong-use',
    `generation ${generation} is more than ${widestStep} above the highest existing generation, ${highest}`,
    { advice: `choose the next generation, such as --generation ${highest + 1}` },
  );
};
