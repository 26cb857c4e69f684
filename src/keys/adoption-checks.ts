import { fault, shellWord } from '../core/index.ts';
import { isServiceName } from './plan/key-names.ts';
import type { Rotation } from './rotation.ts';

/** Names of services stand in paths and commands. @throws Fault wrong-use */
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
  /** That its line says it is a key of; nothing where no line knows it. */
  readonly service: string | undefined;
};

/** A key leaves its service when a person says so in as many words. @throws Fault wrong-use */
export const checkMove = ({ id, name, service: own }: Adopted, service: string, move: boolean): void => {
  if (move || own === undefined || own === service) return;
  throw fault('wrong-use', `${name} (id ${id}) is a key of ${own}`, {
    advice: `\`tollkeeper keys list ${shellWord(own)}\` shows its generations; use --move to make it a key of ${service}`,
  });
};

/** A rotation counts on the line that it began with. @throws Fault wrong-use */
export const checkNoneOpen = (open: Rotation | undefined): void => {
  if (open === undefined) return;
  throw fault('wrong-use', `${open.service} has a rotation in progress`, {
    advice: `wait until it completes, or end it with \`tollkeeper keys give-up ${shellWord(open.service)}\``,
  });
};

/** Each successor takes the next number: one that is far off is a slip, and stays in all names from then on. */
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
