import { countText } from '../../core/index.ts';
import { runJson, type RunResult, type RunView } from '../../app/index.ts';
import { localMoment, localSlot } from '../ui/moment.ts';
import { describeElapsed, describeReason } from '../ui/run-messages.ts';
import { oneLine } from '../ui/text.ts';

type Mail = RunResult['mail'];

export type Told = { readonly out: string; readonly err: string; readonly code: 0 | 1 };

export const noMail: Mail = { sent: 0, deferred: 0, failed: 0, unknown: 0, queued: 0 };

/** Adds the mails of two runs; keeps the first problem. */
export const addMail = (left: Mail, right: Mail): Mail => {
  const problem = left.problem ?? right.problem;
  return {
    sent: left.sent + right.sent,
    deferred: left.deferred + right.deferred,
    failed: left.failed + right.failed,
    unknown: left.unknown + right.unknown,
    queued: left.queued + right.queued,
    problem,
  };
};

export const notificationMail = (mail: Mail): Told => {
  const out = [
    ...(mail.sent === 0 ? [] : [`${countText(mail.sent, 'mail')} sent\n`]),
    ...(mail.queued === 0 ? [] : [`${countText(mail.queued, 'mail')} queued for \`serve\` to send\n`]),
  ].join('');
  if (mail.deferred + mail.failed + mail.unknown === 0) return { out, err: '', code: 0 };
  const parts = [
    `${mail.deferred} to be retried by \`serve\` or the next \`run\``,
    `${mail.failed} refused`,
    `${mail.unknown} of unknown outcome`,
  ];
  const problem = mail.problem === undefined ? '' : `  first error: ${oneLine(mail.problem)}\n`;
  return { out, err: `tollkeeper: not all mail was sent: ${parts.join(', ')}\n${problem}`, code: 1 };
};

const endings: Readonly<Record<RunView['state'], string>> = {
  ok: 'ended well',
  failed: 'failed',
  interrupted: 'was interrupted',
  missed: 'was missed',
  skipped: 'was skipped',
  queued: 'has not started',
  running: 'has not ended',
};

/** `gateway-unreachable` and the advice, like the second line of every error. */
const toDo = ({ run, advice }: RunResult, indent: string): string => {
  if (advice === undefined) return run.code === undefined ? '' : `${indent}(${oneLine(run.code)})\n`;
  return `${indent}what to do: ${oneLine(advice)}${run.code === undefined ? '' : ` (${oneLine(run.code)})`}\n`;
};

const endedAt = ({ attempts, slot }: RunView): RunView['slot'] => attempts.at(-1)?.endedAt ?? slot;

const outOf = ({ run, already }: RunResult): string => {
  if (run.state !== 'ok') return '';
  const summary = oneLine(run.summary ?? '');
  if (!already) return `${summary === '' ? `${run.job} succeeded` : summary}\n`;
  const before = `already ran, succeeded at ${localMoment(endedAt(run), run.zone)} ${run.zone}`;
  return `${before}${summary === '' ? '' : `: ${summary}`}\n`;
};

const errOf = (result: RunResult): string => {
  const { run } = result;
  if (run.state === 'ok') return '';
  const reason = oneLine(run.reason ?? run.waiting ?? '');
  const again =
    run.nextAttempt === undefined
      ? ''
      : `  next attempt ${localMoment(run.nextAttempt, run.zone)} ${run.zone}, by \`serve\`\n`;
  return `tollkeeper: ${run.job} ${endings[run.state]}${reason === '' ? '' : `: ${reason}`}\n${toDo(result, '  ')}${again}`;
};

export const printResult = (result: RunResult): Told => {
  const mail = notificationMail(result.mail);
  return {
    out: `${outOf(result)}${mail.out}`,
    err: `${errOf(result)}${mail.err}`,
    code: result.run.state === 'ok' ? mail.code : 1,
  };
};

/** One run of a backfill: `2026-11-01 08:00  ok           1.2 s       1,204 rows landed`. */
export const backfillLine = (result: RunResult): string => {
  const { run, already } = result;
  const state = already ? 'already ran' : run.state;
  const took = already || run.attempts.length === 0 ? '' : describeElapsed(run.attempts.at(-1), endedAt(run));
  const cells = [
    localSlot(run.slot, run.zone),
    state.padEnd(11),
    took.padEnd(12),
    oneLine(describeReason(run)),
  ];
  return `${cells.join('  ').trimEnd()}\n${run.state === 'ok' ? '' : toDo(result, '    ')}`;
};

/** `31 slots: 28 ok, 2 already ran, 1 failed`. */
export const backfillEnd = (total: {
  readonly slots: number;
  readonly ok: number;
  readonly already: number;
  readonly failed: number;
}): string =>
  total.slots === 0
    ? 'no slots in this time range\n'
    : `${countText(total.slots, 'slot')}: ${total.ok} ok, ${total.already} already ran, ${total.failed} failed\n`;

/** Outcome and mails at the top level, the run itself nested. */
export const resultJson = ({ run, already, figures, mail, advice }: RunResult) => ({
  summary: run.summary,
  figures,
  mail,
  already,
  advice,
  run: runJson(run),
});
