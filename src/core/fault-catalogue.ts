export type FaultEntry = {
  readonly advice: string;
  readonly retryHelps: boolean;
  readonly exitCode: 1 | 2;
};

const failed = (advice: string): FaultEntry => ({ advice, retryHelps: false, exitCode: 1 });
const passing = (advice: string): FaultEntry => ({ advice, retryHelps: true, exitCode: 1 });
const misuse = (advice: string): FaultEntry => ({ advice, retryHelps: false, exitCode: 2 });

const entries = {
  // wrong use
  'wrong-use': misuse('see `tollkeeper --help`'),
  'job-unknown': misuse('`tollkeeper check` lists the jobs that are declared'),
  'report-unknown': misuse('name a folder under reports/ that holds a report.yaml'),
  'period-invalid': misuse(
    'give a period such as last-month, 2026-10 or 2026-01-01..2026-02-01; `tollkeeper report --help` lists every form',
  ),
  'config-invalid': misuse('fix the places named and run `tollkeeper check` again'),
  'port-in-use': misuse('choose another port, or stop the program that holds this one'),

  // gateway
  'gateway-url-insecure': misuse('give base_url as https; http is taken on loopback alone'),
  'gateway-unreachable': passing('check base_url, DNS, the proxy settings and the firewall'),
  'gateway-certificate': failed(
    'install the issuer through tls.ca in the account, or fix the certificate of the gateway; verification cannot be turned off',
  ),
  'gateway-timeout': passing('the gateway took too long; a shorter window or a longer timeout may help'),
  'gateway-connection-lost': passing('the connection broke off; nothing was kept, run it again'),
  'gateway-redirect': failed('give the final address as base_url; the Admin Key is sent to no other origin'),
  'gateway-key-refused': failed('check admin_key: it starts with sk-admin- and must not be revoked'),
  'gateway-scope-missing': failed('issue an Admin Key that has the scope named'),
  'gateway-not-found': failed('check that base_url is the address of the gateway without a path'),
  'gateway-rate-limited': passing('wait, or let fewer jobs run at once'),
  'gateway-refused': failed('the message is the gateway’s own; check the request it names'),
  'gateway-server-error': passing('the gateway has a fault of its own; try again later'),
  'gateway-http-error': failed('check base_url and the gateway’s own log'),
  'gateway-answer-unreadable': failed(
    'the answer does not match the gateway contract; check base_url, or report the answer with its request',
  ),
  'gateway-keys-unsettled': passing('try again when fewer keys are being made and deleted'),
  'key-spec-invalid': failed('nothing was sent; fix the name or the expiry of the key'),
  'key-verify-refused': failed(
    'the gateway does not take the new key, and the old one stays as it is; the words quoted are the gateway’s own',
  ),
  'key-verify-unclear': passing('the old key stays as it is until the new one is seen to work'),
  'rotation-blocked': failed('see what is said of it'),
  'audit-damaged': failed(
    'nothing is done to keys until it holds: `tollkeeper keys audit --verify` shows where it breaks. Move the audit file aside and keep it: it is rewritten from the database, which has every step, too, with the next order on keys, with `tollkeeper status`, or within five minutes while the daemon runs. Where the database does not hold either, put the file back from a copy. No restart is needed',
  ),
  'key-update-harmed': failed(
    'look at the key in the gateway’s console and fix the fields named; let `tollkeeper doctor --probe-keys` learn again how the gateway updates keys',
  ),
  'key-update-ineffective': failed(
    'the gateway took the update and the key is as it was; ask its operator what the Admin Key may change',
  ),
  'key-update-unsettled': passing('it is read again before anything else is written'),
  'key-unit-unknown': failed(
    'let `tollkeeper doctor --probe-keys` find out in which unit the gateway takes remain_quota',
  ),
  'key-quota-inexact': failed('nothing was sent; give an amount that the gateway can hold and show exactly'),
  'gateway-answer-too-large': failed('the answer outgrew its limit; check base_url'),

  // exports
  'export-not-csv': passing('the gateway answered something else than CSV; its own message is quoted'),
  'export-truncated': passing('the export broke off; nothing was kept, run it again'),
  'export-column-missing': failed(
    'the export lacks a column that is needed: where it is there under another name, say so under gateway.columns of the account',
  ),
  'export-row-invalid': failed('the line named does not fit its header; nothing of this window was kept'),
  'export-amount-inexact': failed(
    'an amount has more decimals than the warehouse keeps (12); nothing was rounded and nothing was kept',
  ),
  'export-amounts-changed': failed(
    'amounts no longer look as they did: set gateway.amounts of the account to currency or units, and pull the affected time again',
  ),
  'export-currency-changed': misuse(
    'one account holds one currency: declare the other currency as an account of its own',
  ),
  'export-timestamp-unreadable': failed(
    'set gateway.timestamps of the account to the form that the export uses',
  ),
  'export-capped': failed(
    'the gateway caps its exports below what one second holds; ask its operator to raise the cap',
  ),
  'usage-tail-cut': failed('the gateway kept only its top entries; raise top_n'),
  'usage-unit-changed': failed(
    'ask the operator of the gateway in which unit the usage export counts; to keep it in the new one, run the job over its whole time in one window',
  ),
  'usage-layout-unknown': failed(
    'the usage export has a layout that is not known; keep the file named and report it',
  ),

  // disk and warehouse
  'disk-full': passing('free space on the volume named; nothing half-written was kept'),
  'path-unwritable': failed('make the path writable for the user that Tollkeeper runs as'),
  'warehouse-locked': passing(
    'another process has the file open; wait for it to end, or stop it: a running daemon does the same jobs on its schedule',
  ),
  'warehouse-unreadable': failed(
    'the file is no DuckDB database or is damaged; restore it from a backup or move it away and pull again',
  ),
  'warehouse-newer': failed('the file was written by a newer Tollkeeper; run that version or a later one'),
  'warehouse-older': failed(
    'the file was written by an older Tollkeeper that cannot be upgraded from; move it away and pull again, or upgrade with a version in between',
  ),
  'warehouse-failed': failed('see the cause; nothing of this step was kept'),
  'archive-damaged': failed(
    'put the file named back from a copy; where there is none, pull the whole month again in one window (`tollkeeper run` the pull with --from and --to of that month, UTC), as far as the gateway still has it',
  ),
  'archive-unverified': failed(
    'what was written is not what the database holds, and so nothing left it; check the disk of warehouse.archive.path and run it again',
  ),

  // control socket
  'socket-path-too-long': misuse('move warehouse.path to a shorter path'),
  'control-folder-unsafe': failed(
    'the folder takes orders for the daemon, so it must be a folder of the user that Tollkeeper runs as; remove it and start again',
  ),
  'daemon-unreachable': failed('run the command as the user that the daemon runs as'),
  'daemon-version-differs': failed(
    'run the same version as the daemon, or start the daemon again with this one',
  ),
  'daemon-stopped': passing(
    'start the daemon again, then repeat the command: a run that was started by hand is not retried (`tollkeeper status` lists it)',
  ),

  // reports
  'report-invalid': misuse('fix the places named in the report folder'),
  'report-query-failed': failed('fix the SQL named; it may hold exactly one SELECT'),

  // mail
  'mail-not-configured': misuse('declare mail.smtp and mail.from in tollkeeper.yaml'),
  'mail-unreachable': passing('check the host and port of mail.smtp and the firewall'),
  'mail-certificate': failed(
    'install the issuer through mail.tls.ca, or fix the certificate of the mail server',
  ),
  'mail-tls-required': failed(
    'the mail server offers no STARTTLS; use smtps:// or a server that does (insecure: true under mail takes a relay without a login as it is)',
  ),
  'mail-login-refused': failed('check user and password in mail.smtp'),
  'mail-refused': failed('the mail server refused the message for good; its words are quoted'),
  'mail-too-large': failed(
    'attach less (mail.attach of the job), or ask those who run the mail server to take larger messages; `tollkeeper outbox` resends it then',
  ),
  'mail-address-refused': failed(
    'use an address with plain letters before the @, or a mail server that offers SMTPUTF8',
  ),
  'mail-deferred': passing('the mail server asked to try again later'),
  'mail-outcome-unknown': failed(
    'the connection broke after the message was transmitted: it may or may not have been accepted',
  ),
  'mail-address-invalid': misuse('give each address as name@example.com or "Name <name@example.com>"'),
  'report-damaged': failed(
    'put the folder named back from a copy, or move it away: the report of the slot is built again then',
  ),
  'mail-file-damaged': failed(
    'the file was removed or changed after it was queued; run the job again to make the mail again',
  ),

  // routes beside mail
  'webhook-unreachable': passing('check the url of the route, DNS, the proxy settings and the firewall'),
  'webhook-refused': failed(
    'check the url and the secret of the route, and what the other side says; `tollkeeper outbox` resends it then',
  ),
  'webhook-deferred': passing('the other side asked to try again later'),
  'webhook-outcome-unknown': failed(
    'it was transmitted and not answered: it may or may not have been accepted; a receiver knows it by its Idempotency-Key',
  ),

  // sinks of keys
  'sink-failed': passing(
    'the old key is untouched and works; it is tried again on schedule, and `tollkeeper keys` shows how it stands',
  ),
  'sink-refused': failed(
    'fix the sink, or its entry under deliver; the old key is untouched and works meanwhile',
  ),
  'command-failed': passing('look at what the command printed, and run it by hand'),

  'demo-failed': failed('this is a fault of Tollkeeper itself; please report it with the line above'),

  // daemon
  'daemon-runs': failed(
    'one daemon serves a volume: stop it, give this one another warehouse.path, or wait for it with `serve --wait`',
  ),
  'clock-before-build': failed('set the clock of this machine right; schedules and certificates need it'),

  // runs
  'data-late': passing(
    'look why the jobs that it needs bring no data: `tollkeeper runs` shows; needs_deadline and when_late are its settings',
  ),
  aborted: failed('repeat the command; what was unfinished was not kept'),
  'run-timeout': passing('the run took longer than its timeout'),
} as const satisfies Record<string, FaultEntry>;

/** Names of all known errors. */
export type FaultCode = keyof typeof entries;

/** What to do about each known error, whether a retry helps, and the exit code of the program. */
export const catalogue: Readonly<Record<FaultCode, FaultEntry>> = entries;
