import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openFolder } from '../support/program.ts';

const unit = 'config/deploy/tollkeeper.service';

type Verdict = { readonly passed: boolean; readonly text: string };

const analyze = (...args: readonly string[]): Promise<Verdict> =>
  new Promise((resolve) => {
    execFile('systemd-analyze', [...args, '--no-pager'], (error, stdout, stderr) => {
      resolve({ passed: error === null, text: `${stdout}${stderr}` });
    });
  });

/** What systemd-analyze says about the unit with some text replaced. The program is one that this machine has. */
const checked = async (
  from = '',
  to = '',
): Promise<{ readonly verify: Verdict; readonly security: Verdict }> => {
  await using folder = await openFolder();
  const text = (await readFile(unit, 'utf8')).replace(
    'ExecStart=/usr/local/bin/tollkeeper',
    `ExecStart=${process.execPath}`,
  );
  expect(text).toContain(from);
  const file = await folder.write('tollkeeper.service', text.replace(from, to));
  return {
    verify: await analyze('verify', file),
    // An exposure of 2.0 and more fails.
    security: await analyze('security', '--offline=true', '--threshold=19', file),
  };
};

it('systemd finds no fault in the unit, and an exposure below 2.0', async () => {
  const { verify, security } = await checked();
  // An ignored setting is printed, and does not fail.
  expect(verify).toEqual({ passed: true, text: '' });
  expect(security.text).toMatch(/Overall exposure level for tollkeeper\.service: [01]\.\d/);
  expect(security.passed).toBe(true);
});

it.each([
  ['an unknown setting', 'TimeoutStopSec', 'TimeoutStopsSec'],
  ['an invalid value', 'Restart=on-failure', 'Restart=on-failur'],
  ['a program that does not exist', process.execPath, '/usr/bin/no-such-program'],
])('systemd finds %s in the unit', async (_, from, to) => {
  expect((await checked(from, to)).verify.text).not.toBe('');
});

it('systemd finds a unit with too few restrictions', async () => {
  expect((await checked('CapabilityBoundingSet=\n', '')).security.passed).toBe(false);
});

/** Prints the first datagram that arrives at the socket. Node has no sockets of this kind. */
const receiver = `use IO::Socket::UNIX; use Socket;
my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die;
$| = 1; print "listening\\n"; $socket->recv(my $message, 4096); print $message;`;

it('systemd-notify sends what the daemon reports', async () => {
  await using folder = await openFolder();
  const socket = `${folder.path}/notify`;
  const listener = spawn('perl', ['-e', receiver, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  let received = '';
  listener.stdout.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  await once(listener.stdout, 'data');
  await folder.write(
    'config/tollkeeper.yaml',
    'health: { host: 127.0.0.1, port: 0 }\nstatus: { enabled: false }\n',
  );
  const stopping = new AbortController();
  const env = { NOTIFY_SOCKET: socket, PATH: process.env['PATH'] };
  const daemon = folder.run(['serve'], { env, signal: stopping.signal });
  await once(listener, 'close');
  stopping.abort(new Error('stopped by the test'));
  expect((await daemon).code).toBe(0);
  expect(received).toBe('listening\nREADY=1');
});
