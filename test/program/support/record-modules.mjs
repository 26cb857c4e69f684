import { register } from 'node:module';

// Writes the address of each module that is loaded to the file that RECORD_MODULES names.
const hooks = `
import { appendFileSync } from 'node:fs';
export const load = (url, context, next) => {
  appendFileSync(process.env.RECORD_MODULES, url + '\\n');
  return next(url, context);
};`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
