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
      {"kind":"status","status":503,"body"?,"contentType"?,"retryAfter"?}   any status
      {"kind":"rate-limit"}                 429, empty, without Retry-After
      {"kind":"delay","millis":500}         the answer late
      {"kind":"cut-off","rows":10,"end":"destroyed"|"clean"}   the body ends in the middle of a row
      {"kind":"envelope","message"?}        HTTP 200, success false, in place of the answer
      {"kind":"html","status"?}             a page in place of the answer
      {"kind":"drip","bytes":64,"millis":100}   the body little by little
      {"kind":"stall","rows":10}            the body stops, the connection stays
      {"kind":"reset"}                      the connection is reset before anything happens
      {"kind":"redirect","location":"…","status"?}
      {"kind":"lost-answer"}                done, but the connection drops before the answer
      {"kind":"late-effect","millis":5000}  the connection drops; done only later
      {"kind":"late-listing","millis":5000} done and answered; lists of keys show it later
      {"kind":"churn","add":1,"remove":1}   after the answer keys named churn-… come and go
  GET    /_sandbox/faults    what is still to strike;  DELETE clears it
  POST   /_sandbox/hostile {"name": NAME}   set the hostile behaviour; none ends it
  GET    /_sandbox/requests  the requests seen, without secrets
  GET    /_sandbox/writes    how many keys were written, by method
  GET    /_sandbox/truth?start=&end=   exact sums of a half-open window in Unix seconds
  POST   /_sandbox/keys {"count": 2000, "name": "bulk"}   so many keys more
  POST   /_sandbox/keys/ID/disable     disable a key
  POST   /_sandbox/keys/ID/move-traffic {"to": ID}   the simulated calls go on with another key
`;
