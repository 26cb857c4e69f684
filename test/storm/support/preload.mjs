/**
 * What the program under test is given to run before itself (`node --import`): it shifts its clock, and ends it with
 * SIGKILL (or stops it, to be looked at and to go on) at the first boundary of a step that no process of before was ended at. A boundary is named by the last step
 * in the audit file and by what is done next: the write of a line, its sync, a request and its answer, a file of a sink.
 */

import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const {
  TOLLKEEPER_TEST_OFFSET: offset = '0',
  TOLLKEEPER_TEST_KILLS: kills,
  TOLLKEEPER_TEST_BOUNDARIES: which = '.',
  TOLLKEEPER_TEST_SIGNAL: signal = 'SIGKILL',
} = process.env;
for (const name of Object.keys(process.env))
  if (name.startsWith('TOLLKEEPER_TEST_')) delete process.env[name];

const now = Date.now.bind(Date);
Date.now = () => now() + Number(offset);
// Time has passed for the machine too: no clock was set.
const uptime = os.uptime.bind(os);
os.uptime = () => uptime() + Number(offset) / 1000;
syncBuiltinESMExports();

if (kills !== undefined) {
  const seen = new Set(fs.existsSync(kills) ? fs.readFileSync(kills, 'utf8').split('\n') : []);
  const wanted = new RegExp(which);
  const audit = 'data/audit/keys.jsonl';
  // What follows the last line break is half a line, which the program is about to take away.
  const lines = fs.existsSync(audit) ? fs.readFileSync(audit, 'utf8').split('\n').slice(0, -1) : [];
  const stepOf = (line) => JSON.parse(line).event.what;
  let last = lines.length === 0 ? 'nothing' : stepOf(lines.at(-1));
  const boundary = (what, lastDeed = () => undefined) => {
    const name = last + ' > ' + what;
    if (seen.has(name) || !wanted.test(name)) return;
    seen.add(name);
    fs.appendFileSync(kills, name + '\n');
    lastDeed();
    if (signal === 'SIGSTOP') fs.writeSync(1, 'stops at ' + name + '\n');
    process.kill(process.pid, signal);
  };

  const isAudit = (path) => String(path).endsWith('keys.jsonl');
  const isSink = (path) => String(path).endsWith('.tollkeeper');
  const opened = new WeakMap();
  const { open, rename } = fs.promises;
  const stepsIn = (text) =>
    String(text)
      .split('\n')
      .filter((line) => line !== '')
      .map(stepOf)
      .join('+');
  const wrap = (handle) => {
    const { appendFile, writeFile, write, sync, datasync } = handle;
    const around =
      (work, name) =>
      async (...given) => {
        const path = opened.get(handle);
        if (isSink(path)) {
          const result = await work.apply(handle, given);
          boundary('sink ' + name);
          return result;
        }
        if (!isAudit(path)) return work.apply(handle, given);
        const isSync = name === 'sync';
        const steps = isSync ? last : stepsIn(given[0]);
        if (!isSync) {
          boundary('before line ' + steps);
          const [text] = given;
          boundary('half of line ' + steps, () => fs.writeSync(handle.fd, text.slice(0, text.length / 2)));
        }
        const result = await work.apply(handle, given);
        if (!isSync) last = steps.split('+').at(-1);
        boundary(isSync ? 'line synced' : 'line written');
        return result;
      };
    handle.appendFile = around(appendFile, 'write');
    handle.writeFile = around(writeFile, 'write');
    handle.write = around(write, 'write');
    handle.sync = around(sync, 'sync');
    handle.datasync = around(datasync, 'sync');
    return handle;
  };
  fs.promises.open = async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    if ((isAudit(path) && flags !== 'r') || isSink(path)) {
      opened.set(handle, path);
      wrap(handle);
    }
    return handle;
  };
  fs.promises.rename = async (from, to) => {
    if (isSink(from)) boundary('before rename');
    await rename(from, to);
    if (isSink(from)) boundary('renamed');
  };
  syncBuiltinESMExports();

  const routeOf = (request) =>
    request.method + ' ' + String(request.path).replace(/\?.*/, '').replace(/\d+$/, 'N');
  // What only reads changes nothing that a kill could leave half done.
  const counts = (route) => !route.startsWith('GET ') && /\/api\/token|\/v1\//.test(route);
  subscribe('undici:request:create', ({ request }) => {
    const route = routeOf(request);
    if (counts(route)) boundary('before ' + route);
  });
  subscribe('undici:request:headers', ({ request }) => {
    const route = routeOf(request);
    if (counts(route)) boundary('answer of ' + route);
  });
}
