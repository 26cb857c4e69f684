import { adviceOf, type UnixMillis } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import { linesOf } from '../../messages/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import { nextSlot, scheduleOf, type Notice } from '../../scheduler/index.ts';
import type { Message, MessageDeps } from './message.ts';

/** Counted in this order. */
const kinds = ['failed', 'suspended', 'missed', 'late', 'recovered'] as const;

const nextOf = (job: Job | undefined, after: UnixMillis): UnixMillis | undefined => {
  const schedule = job === undefined || job.suspend ? undefined : scheduleOf(job);
  return schedule === undefined ? undefined : nextSlot(schedule, after);
};

/** The command that runs the slot again; a late run has succeeded and needs none. */
const againOf = ({ kind, job, slot }: Notice): string | undefined =>
  kind === 'failed' || kind === 'missed' || kind === 'suspended'
    ? `tollkeeper run ${job} --slot ${new Date(slot).toISOString().replace('.000Z', 'Z')}`
    : undefined;

const linesOfNotice = (notice: Notice, { jobs, zone, locale }: MessageDeps): AlertBlock['lines'] => {
  const { outages, mails, advice } = locale;
  const job = jobs[notice.job];
  const at = (moment: UnixMillis | undefined): string | undefined =>
    moment === undefined ? undefined : outages.at(moment, job?.timezone ?? zone);
  const next = at(nextOf(job, notice.at));
  const slot = at(notice.slot);
  if (notice.kind === 'recovered')
    return linesOf(
      { lastRun: notice.reason, slot, downSince: at(notice.outage.openedAt), nextSlot: next },
      mails,
    );
  const again = againOf(notice);
  return linesOf(
    {
      reason: notice.reason,
      toDo: advice(notice.code, adviceOf(notice.code)),
      slot,
      nextSlot: next,
      manualRun: again === undefined ? undefined : outages.manualRun(again),
    },
    mails,
  );
};

const closingOf = ({ job, kind }: Notice, { jobs, locale }: MessageDeps): readonly string[] => {
  const { details, noFurther } = locale.outages;
  const isMailed = jobs[job]?.notify.includes('recovered') === true;
  return [details(job), ...(kind === 'recovered' ? [] : [noFurther(job, isMailed)])];
};

/** Combines outages with the same recipients at the same time into one message. */
export const noticeMessages = (notices: readonly Notice[], deps: MessageDeps): readonly Message[] => {
  const { outages, list } = deps.locale;
  const groups = new Map<string, { readonly to: readonly string[]; readonly notices: Notice[] }>();
  for (const notice of notices) {
    const to = deps.jobs[notice.job]?.notifyTo ?? deps.operators;
    const group = groups.get(to.join()) ?? { to, notices: [] };
    group.notices.push(notice);
    groups.set(to.join(), group);
  }
  const titleOf = ({ job, kind }: Notice): string => outages.job[kind](job);
  const titleOfMany = (all: readonly Notice[]): string =>
    list(
      kinds.flatMap((kind) => {
        const { length } = all.filter((notice) => notice.kind === kind);
        return length === 0 ? [] : [outages.jobs[kind](length)];
      }),
    );
  return [...groups.values()].map((group) => {
    const [first] = group.notices;
    const only = group.notices.length === 1 ? first : undefined;
    return {
      account: '',
      subject: group.notices.map(({ job, kind, outage }) => [job, kind, outage.slot, outage.openedAt]),
      topics: group.notices.map(({ job, outage }) => JSON.stringify([job, outage.slot, outage.openedAt])),
      to: group.to,
      ...(group.notices.every(({ job }) => deps.jobs[job]?.notifyTo === undefined)
        ? {}
        : { recipients: 'notify_to' }),
      title: only === undefined ? titleOfMany(group.notices) : titleOf(only),
      blocks: group.notices.map((notice): AlertBlock => ({
        ...(only === undefined ? { heading: titleOf(notice) } : {}),
        tone: notice.kind === 'recovered' ? 'good' : 'bad',
        lines: linesOfNotice(notice, deps),
      })),
      closing: only === undefined ? outages.closingOfMany : closingOf(only, deps),
    };
  });
};
