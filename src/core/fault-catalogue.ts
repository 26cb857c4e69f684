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
  'job-unknown': misuse('run `tollkeeper check` to list the configured jobs'),
  'report-unknown': misuse('use the name of a folder under reports/ that contains a report.yaml'),
  'period-invalid': misuse(
    'use a period such as last-month, 2026-10 or 2026-01-01..2026-02-01; see `tollkeeper report --help`',
  ),
  'config-invalid': misuse('fix the reported locations and re-run `tollkeeper check`'),
  'init-file-exists': failed('choose an empty folder, or move the named files away'),
  'port-in-use': misuse('choose another port, or stop the program that uses this one'),

  // gateway
  'gateway-url-insecure': misuse('use https in base_url; http is accepted only on loopback'),
  'gateway-unreachable': passing('check base_url, DNS, the proxy settings and the firewall'),
  'gateway-certificate': failed(
    'add the certificate authority with tls.ca of the account, or fix the certificate of the gateway; verification cannot be disabled',
  ),
  'gateway-timeout': passing('the gateway did not respond in time; try a shorter window or a longer timeout'),
  'gateway-connection-lost': passing('the connection was lost and nothing was stored; run it again'),
  'gateway-redirect': failed(
    'set base_url to the final address; the Admin Key is not sent to another origin',
  ),
  'gateway-key-refused': failed('check admin_key: it starts with sk-admin- and must not be revoked'),
  'gateway-scope-missing': failed('issue an Admin Key with the named scope'),
  'gateway-not-found': failed('check that base_url is the address of the gateway without a path'),
  'gateway-rate-limited': passing('wait, or run fewer jobs at the same time'),
  'gateway-refused': failed('the quoted message is from the gateway; check the request that it names'),
  'gateway-server-error': passing('the gateway failed internally; try again later'),
  'gateway-http-error': failed('check base_url and the log of the gateway'),
  'gateway-answer-unreadable': failed(
    'the response does not match the gateway contract; check base_url, or report the response and its request',
  ),
  'gateway-keys-unsettled': passing('try again when fewer keys are being created and deleted'),
  'model-input-invalid': misuse('nothing was sent; see `tollkeeper call --help`'),
  'model-key-refused': failed(
    'use an API key that is neither expired, exhausted nor deleted; a new key can take some minutes to be known',
  ),
  'model-unavailable': failed('use a model that the account can call, or ask the operator of the gateway'),
  'model-call-refused': failed('the quoted message is from the gateway; correct the input that it names'),
  'model-stream-failed': failed(
    'the answer is incomplete and may have been charged: check the call log before you repeat the call',
  ),
  'call-not-booked': failed(
    'rows can appear up to ten minutes late: look at the call log of the gateway later, or wait longer with --wait-cost',
  ),
  'model-task-failed': failed(
    'the quoted reason is from the gateway; a failed task is refunded later, images within an hour, music within a day',
  ),
  'model-task-unfinished': failed(
    'the task goes on at the gateway; show it later with the command in the message',
  ),
  'key-spec-invalid': failed('nothing was sent; fix the name or the expiry of the key'),
  'key-verify-refused': failed(
    'the gateway does not accept the new key; the old key is unchanged; the quoted message is from the gateway',
  ),
  'key-verify-unclear': passing('the old key is unchanged until the new one passes verification'),
  'key-current-unknown': failed('name one of the keys by its id'),
  'rotation-blocked': failed('follow the next step in the message'),
  'audit-damaged': failed(
    'key operations are suspended until it passes verification: `tollkeeper keys audit --verify` shows the first invalid line. Move the audit file aside and keep it: it is rewritten from the database, which has every step, too, with the next operation on keys, with `tollkeeper status`, or within five minutes while the daemon runs. Where the chain in the database is damaged too, stop Tollkeeper and restore audit/keys.jsonl and the database from the same backup. After the file alone was moved, no restart is needed',
  ),
  'key-update-harmed': failed(
    'check the key in the console of the gateway and fix the named fields; run `tollkeeper doctor --probe-keys` to learn again how the gateway updates keys',
  ),
  'key-update-ineffective': failed(
    'the gateway accepted the update but the key is unchanged; ask its operator what the Admin Key may change',
  ),
  'key-update-unsettled': passing('it is read again before anything else is written'),
  'key-unit-unknown': failed(
    'run `tollkeeper doctor --probe-keys` to learn the unit in which the gateway expects remain_quota',
  ),
  'key-quota-inexact': failed('nothing was sent; use an amount that the gateway can store exactly'),
  'gateway-answer-too-large': failed('the response exceeds its size limit; check base_url'),

  // exports
  'export-not-csv': passing('the gateway did not answer with CSV; its message is quoted'),
  'export-truncated': passing('the export ended early and nothing was stored; run it again'),
  'export-emptied': passing(
    'nothing was removed; run it again, and if it stays so, ask the operator of the gateway where the calls are',
  ),
  'export-column-missing': failed(
    'the export lacks a required column; if it has another name, map it under gateway.columns of the account',
  ),
  'export-row-invalid': failed('the named line does not match the header; nothing of this window was stored'),
  'export-amount-inexact': failed(
    'nothing was rounded and nothing was stored: the warehouse has 12 decimals. If the gateway writes floating-point numbers, set gateway.round_amounts: 12 of the account',
  ),
  'export-amounts-changed': failed(
    'the form of amounts has changed: set gateway.amounts of the account to currency or units, and pull the affected time range again',
  ),
  'export-currency-changed': misuse(
    'an account has one currency: add a separate account for the other currency',
  ),
  'export-timestamp-unreadable': failed(
    'set gateway.timestamps of the account to the form that the export uses; dates are read only with the year first (2026-11-20 or 2026/11/20)',
  ),
  'export-capped': failed(
    'the gateway truncates exports even of a single second; ask its operator to raise the limit',
  ),
  'usage-tail-cut': failed('the gateway returned only its top entries; raise top_n'),
  'usage-unit-changed': failed(
    'ask the operator of the gateway in which unit the usage export counts; to keep it in the new one, run the job over its whole time in one window',
  ),
  'usage-layout-unknown': failed('the usage export has an unknown layout; keep the named file and report it'),

  // queries
  'queries-busy': passing('try again when the queries that run now have ended'),

  // disk and warehouse
  'disk-full': passing('free space on the named volume; no partial data was stored'),
  'path-unwritable': failed('make the path writable for the user that Tollkeeper runs as'),
  'backup-foreign': failed('choose an empty folder, or one that `tollkeeper backup` has written'),
  'backup-inside': misuse('choose a folder outside of the data folder, on another volume'),
  'backup-missing': failed('name a readable folder or file that `tollkeeper backup` has written'),
  'backup-newer': failed('use the version of Tollkeeper that wrote the backup, or a later one'),
  'backup-damaged': failed(
    'use another backup, or copy it again if it was copied; then check that disk and take a new backup, which replaces damaged parts that are unchanged since',
  ),
  'backup-identity': failed('use the identity of one of the recipients that the backup is encrypted for'),
  'month-open': failed(
    'export the month when it is over, completely pulled and reconciled: `tollkeeper report statement` shows what is missing',
  ),
  'restore-not-empty': misuse('add --replace: it moves the present data aside, and deletes nothing'),
  'backup-source-changed': passing(
    'something outside of Tollkeeper changes the data folder; run the backup again',
  ),
  'memory-too-small': failed(
    'raise the memory limit of the container, or set warehouse.memory_limit to limit the database yourself',
  ),
  'warehouse-locked': passing(
    'another process uses the file; wait until it ends, or stop it: a running daemon runs the same jobs on their schedule',
  ),
  'volume-lost': passing(
    'start the daemon again: it opens the database that is there now; what was stored after the loss may be missing',
  ),
  'warehouse-missing': failed(
    'no empty database is created beside the data of another: check that the volume is mounted and warehouse.path is right, then run `tollkeeper restore FROM --replace` with a backup (see Restore in docs/operations.md). To start over, move the named files and folders away',
  ),
  'warehouse-unreadable': failed(
    'the file is damaged or not a DuckDB database, and is left as it is: stop Tollkeeper, and run `tollkeeper restore FROM --replace` with a backup, which keeps the file and the .wal beside it (see Restore in docs/operations.md)',
  ),
  'warehouse-newer': failed(
    'run that version or a later one; or go back to the data of before the upgrade: restore a backup of this version, into an empty data folder',
  ),
  'warehouse-older': failed(
    'the file was written by an older Tollkeeper that cannot be upgraded from; move it away and pull again, or upgrade with a version in between',
  ),
  'warehouse-failed': failed('see the cause; nothing of this step was stored'),
  'lease-lost': failed('nothing to do: the replica that holds the account goes on with its jobs'),
  'database-unreachable': passing(
    'check that PostgreSQL runs, the address in the URL of the database, DNS and the firewall; what was not committed is not stored',
  ),
  'database-refused': failed('correct what the message names, at the server or in the URL of the database'),
  'archive-damaged': failed(
    'restore the named file from a backup; without one, pull the whole month again in one window (`tollkeeper run` for the pull job with --from and --to of that month, UTC) if the gateway still has it',
  ),
  'archive-unverified': failed(
    'the written file differs from the database, so nothing was removed from the database; check the disk of warehouse.archive.path and run the job again',
  ),

  // control socket
  'socket-path-too-long': misuse('move warehouse.path to a shorter path'),
  'control-folder-unsafe': failed(
    'the folder contains the control socket and must belong to the user that Tollkeeper runs as; remove it and start again',
  ),
  'daemon-unreachable': failed('run the command as the user that the daemon runs as'),
  'daemon-version-differs': failed(
    'use the same version as the daemon, or restart the daemon with this version',
  ),
  'daemon-stopped': passing(
    'restart the daemon, then repeat the command: a run started by a command is not retried (`tollkeeper status` lists it)',
  ),

  // reports
  'report-invalid': misuse('fix the reported locations in the report folder'),
  'report-query-failed': failed('fix the SQL named; it may hold exactly one SELECT'),

  // mail
  'mail-not-configured': misuse('set mail.smtp and mail.from in tollkeeper.yaml'),
  'mail-unreachable': passing('check the host and port of mail.smtp and the firewall'),
  'mail-certificate': failed(
    'add the certificate authority with mail.tls.ca, or fix the certificate of the mail server',
  ),
  'mail-tls-required': failed(
    'the mail server does not offer STARTTLS; use smtps:// or another server (insecure: true under mail allows a relay without a login)',
  ),
  'mail-session-refused': failed(
    'set mail.ehlo to the name that the server expects of this machine, or allow its address there; the mails stay queued',
  ),
  'mail-login-refused': failed('check user and password in mail.smtp'),
  'mail-refused': failed('the mail server permanently refused the message; its reply is quoted'),
  'mail-too-large': failed(
    'attach fewer files (mail.attach of the job), or ask the operator of the mail server to accept larger messages; then resend it with `tollkeeper outbox resend`',
  ),
  'mail-address-refused': failed(
    'use an address with ASCII letters before the @, or a mail server that offers SMTPUTF8',
  ),
  'mail-deferred': passing('the mail server refused temporarily; it is tried again later'),
  'mail-outcome-unknown': failed(
    'the connection was lost after the message was transmitted; the message may or may not have been accepted',
  ),
  'mail-address-invalid': misuse('write each address as name@example.com or "Name <name@example.com>"'),
  'report-damaged': failed(
    'restore the named folder from a backup, or move it away; the report of the slot is then built again',
  ),
  'mail-file-damaged': failed(
    'the file was removed or changed after it was queued; run the job again to create the mail again',
  ),

  // routes beside mail
  'webhook-unreachable': passing('check the url of the route, DNS, the proxy settings and the firewall'),
  'webhook-refused': failed(
    'check the url and the secret of the route and the reply; then resend it with `tollkeeper outbox resend`',
  ),
  'webhook-deferred': passing('the receiver refused temporarily; it is tried again later'),
  'webhook-outcome-unknown': failed(
    'it was transmitted but not answered and may or may not have been accepted; receivers can detect a duplicate by its Idempotency-Key',
  ),

  // sinks of keys
  'sink-failed': passing(
    'the old key is unchanged and works; the step is retried on schedule, and `tollkeeper keys` shows its status',
  ),
  'sink-refused': failed(
    'fix the sink or its entry under deliver; meanwhile the old key is unchanged and works',
  ),
  'command-failed': passing('check the output of the command, and run it manually'),

  'demo-failed': failed('this is a bug in Tollkeeper; please report it with the line above'),

  // daemon
  'daemon-runs': failed(
    'only one daemon can use a volume: stop it, set another warehouse.path, or wait for it with `serve --wait`',
  ),
  'clock-before-build': failed('correct the clock of this machine; schedules and certificates depend on it'),

  // runs
  'data-late': passing(
    'check with `tollkeeper runs` why the jobs in needs deliver no data; needs_deadline and when_late control the wait',
  ),
  'process-ended': passing(
    'read in its log why it ended: with several replicas, another one may have taken over; if it was killed for lack of memory, raise the memory limit of the container, or lower the window of the job, and remove warehouse.memory_limit',
  ),
  'run-stopped': passing('nothing to do: the next process repeats the run at once'),
  'job-suspended': failed(
    'find out why the process ended (its log, memory limit of the container, log of the kernel; with several replicas, whether another one took over), correct it, and run the job manually: a successful run lifts the suspension',
  ),
  aborted: failed('repeat the command; unfinished work was not stored'),
  'run-timeout': passing('increase the timeout of the job, or check why its runs take so long'),
} as const satisfies Record<string, FaultEntry>;

/** Names of all known errors. */
export type FaultCode = keyof typeof entries;

/** The advice for each known error, whether a retry helps, and the exit code of the program. */
export const catalogue: Readonly<Record<FaultCode, FaultEntry>> = entries;
