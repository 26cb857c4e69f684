import { faultsHelp } from './faults.ts';
import { hostileHelp } from './hostile/hostile.ts';
import { variantNames, variantTable } from './variants.ts';

const switches = (): string =>
  variantNames
    .map((name) => {
      const { values, default: usual, meaning, statement } = variantTable[name];
      const choices = values.map((value) => (value === usual ? `[${value}]` : value)).join(' | ');
      return `  ${name}\n      ${choices}\n      ${meaning} (docs/gateway.md ${statement})`;
    })
    .join('\n');

export const sandboxHelp = (): string => `Variants (name=value; the default is in brackets):

${switches()}

Model endpoints: an image task takes 6 seconds, a music task 8. The songs clip-one,
clip-two and clip-three exist from the beginning. Links of answers need no key.

Hostile behaviours (--hostile NAME):

${hostileHelp()}

Faults, from this machine only:
  POST   /_sandbox/faults    plant one: {"kind": …, "method"?, "path"?, "times"?, "skip"?, "longerThan"?}; path is a prefix
${faultsHelp()}
  GET    /_sandbox/faults    the planted faults that are left;  DELETE clears them
  POST   /_sandbox/hostile {"name": NAME}   set the hostile behaviour; none ends it
  GET    /_sandbox/requests  the requests seen, without secrets
  GET    /_sandbox/writes    how many keys were written, by method
  GET    /_sandbox/truth?start=&end=   exact sums of a half-open window in Unix seconds
  POST   /_sandbox/keys {"count": 2000, "name": "bulk"}   so many keys more
  POST   /_sandbox/keys/ID/disable     disable a key
  POST   /_sandbox/keys/ID/move-traffic {"to": ID}   the simulated calls go on with another key
`;
