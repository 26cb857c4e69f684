import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openPostOffice } from '../notify/support/post-office.ts';
import { openFolder } from '../support/program.ts';

const shipped = new URL('../../config', import.meta.url).pathname;

it('`doctor` exits with 0 on the shipped config with its variables set, and reports no login when there is none', async () => {
  await using folder = await openFolder();
  await cp(shipped, join(folder.path, 'config'), { recursive: true });
  await using office = await openPostOffice({ without: ['STARTTLS', 'AUTH'] });
  const sandbox = await startSandbox({ now: Date.now, months: 1, callsPerDay: 20 });
  try {
    const options = {
      clock: systemClock,
      env: {
        GATEWAY_BASE_URL: sandbox.baseUrl,
        GATEWAY_ADMIN_KEY: sandbox.adminKey,
        SMTP_URL: office.url,
        DAILY_SPEND_HEARTBEAT: `${sandbox.baseUrl}/heartbeat`,
      },
    };
    const ran = await folder.run(['doctor'], options);
    expect(ran.stdout).toMatch(/connected without a login, .*“250-.*”; nothing was\s+sent/);
    expect(ran.stdout).not.toContain('logged in');
    // The shipped jobs only plan: that their sinks are not there yet is no failure, and is shown with what to do.
    expect(ran.stdout).toMatch(
      /– sink of \S+ \(rotate-prod\): skipped, .* \/secrets .* \(mode: plan\)\n {4}what to do: .* the folder \/secrets/,
    );
    expect(ran.code).toBe(0);
    const json = await folder.run(['doctor', '--json'], options);
    expect(json.code).toBe(0);
    for (const { stdout } of [ran, json]) expect(stdout).toMatch(/export of 1 second from \S+ \S+ UTC/);
    expect(json.stdout).not.toContain('Europe/Berlin');
  } finally {
    await sandbox.stop();
  }
});
