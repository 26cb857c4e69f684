import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

// Writes the address of each module that is loaded to the file that RECORD_MODULES names: one that is imported when it is loaded, one
// that is required when the process ends.
const hooks = `
import { appendFileSync } from 'node:fs';
export const load = (url, context, next) => {
  appendFileSync(process.env.RECORD_MODULES, url + '\\n');
  return next(url, context);
};`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

process.on('exit', () => {
  const required = Object.keys(createRequire(import.meta.url).cache);
  appendFileSync(process.env.RECORD_MODULES, required.map((path) => `${pathToFileURL(path)}\n`).join(''));
});
