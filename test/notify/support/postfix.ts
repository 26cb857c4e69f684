import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';

const command = promisify(execFile);

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));

/** Who owns the mailbox; Postfix delivers as nobody else, and never as root. */
const nobody = 65_534;

const services = [
  'pickup unix n - n 60 1 pickup',
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'tlsmgr unix - - n 1000? 1 tlsmgr',
  'rewrite unix - - n - - trivial-rewrite',
  'bounce unix - - n - 0 bounce',
  'defer unix - - n - 0 bounce',
  'trace unix - - n - 0 bounce',
  'verify unix - - n - 1 verify',
  'proxymap unix - - n - - proxymap',
  'error unix - - n - - error',
  'retry unix - - n - - error',
  'discard unix - - n - - discard',
  'virtual unix - n n - - virtual',
  'anvil unix - - n - 1 anvil',
  'postlog unix-dgram n - n - 1 postlogd',
];

/**
 * Debian's Postfix with a configuration, a queue and a log of its own, on a loopback port: takes mail for example.com over
 * STARTTLS and delivers it to one Maildir. Takes root, which CI has.
 */
export const openPostfix = async () => {
  const root = await mkdtemp(join(tmpdir(), 'tollkeeper-postfix-'));
  // Postfix works as a user of its own below here, and has to get there.
  const { mode } = await stat(tmpdir());
  if ((mode & 0o001) === 0) await chmod(tmpdir(), mode | 0o011);
  await chmod(root, 0o755);
  const at = (name: string): string => join(root, name);
  for (const folder of ['config', 'queue', 'data', 'mail']) await mkdir(at(folder));
  await chown(at('mail'), nobody, nobody);
  const { stdout } = await command('id', ['-u', 'postfix']);
  await chown(at('data'), Number(stdout), 0);
  const port = await freePort();
  const settings = {
    compatibility_level: '3.6',
    queue_directory: at('queue'),
    data_directory: at('data'),
    maillog_file: at('mail.log'),
    maillog_file_prefixes: root,
    myhostname: 'relay.example.com',
    mydestination: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    alias_maps: '',
    alias_database: '',
    default_transport: 'error:nothing leaves this machine',
    virtual_mailbox_domains: 'example.com',
    virtual_mailbox_base: at('mail'),
    virtual_mailbox_maps:
      'inline:{finance@example.com=box/, jürgen@example.com=box/, later@example.com=box/}',
    virtual_uid_maps: `static:${nobody}`,
    virtual_gid_maps: `static:${nobody}`,
    virtual_minimum_uid: '100',
    smtpd_recipient_restrictions:
      'check_recipient_access inline:{{later@example.com = 451 4.7.1 greylisted come again}}, reject_unlisted_recipient, permit_mynetworks, reject',
    smtpd_tls_security_level: 'may',
    smtpd_tls_cert_file: fixture('localhost.pem'),
    smtpd_tls_key_file: fixture('localhost.key'),
    message_size_limit: '100000',
    smtputf8_enable: 'yes',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await writeFile(at('config/main.cf'), `${lines.join('\n')}\n`);
  const all = [`127.0.0.1:${port} inet n - n - - smtpd`, ...services];
  await writeFile(at('config/master.cf'), `${all.join('\n')}\n`);
  const log = (): Promise<string> => readFile(at('mail.log'), 'utf8').catch(() => '');
  const inbox = at('mail/box/new');
  // In the foreground: below a shell that is a child of the test, waits for it and ends with it.
  const shell = spawn('/usr/sbin/postfix', ['-c', at('config'), 'start-fg'], {
    detached: true,
    stdio: 'ignore',
  });
  const ended = once(shell, 'exit');
  const isRunning = (): boolean => shell.exitCode === null && shell.signalCode === null;
  const stop = async (): Promise<void> => {
    // The process that its own file names; it takes its children along, and the shell ends with it.
    const pid = Number(await readFile(at('queue/pid/master.pid'), 'utf8').catch(() => ''));
    if (isRunning() && pid > 1) process.kill(pid, 'SIGTERM');
    else shell.kill('SIGTERM');
    await ended;
    await rm(root, { recursive: true, force: true });
  };
  for (const until = Date.now() + 20_000; !(await log()).includes('daemon started'); await wait(50)) {
    if (isRunning() && Date.now() < until) continue;
    const output = await log();
    await stop();
    throw new Error(`Postfix did not start: ${output}`);
  }
  return {
    url: `smtp://localhost:${port}`,
    log,
    /** The mails that were delivered, once there are so many. */
    delivered: async (count: number): Promise<readonly Buffer[]> => {
      const until = Date.now() + 20_000;
      for (;;) {
        const names = await readdir(inbox).catch(() => []);
        if (names.length >= count) return Promise.all(names.map((name) => readFile(join(inbox, name))));
        if (Date.now() > until) throw new Error(`${names.length} of ${count} mails came:\n${await log()}`);
        await wait(50);
      }
    },
    [Symbol.asyncDispose]: stop,
  };
};
