import { html } from 'hono/html';
import { adviceOf } from '../../core/index.ts';
import type { PageView } from '../page-view.ts';
import type { JobView, RunView } from '../status-view.ts';
import { runTones } from '../tones.ts';
import {
  actionForm,
  chip,
  moment,
  momentAway,
  pair,
  roughly,
  isolated,
  messageWithCommands,
  section,
  type Html,
  type PageLook,
} from './messages.ts';
import { strip } from './strip.ts';

/** Keeps the page readable; `status` shows all. */
const maxJobs = 200;

const isDown = ({ outageSince, failure, missedFirst }: JobView): boolean =>
  outageSince !== undefined || failure !== undefined || missedFirst !== undefined;

const stateOf = (job: JobView): Html => {
  const { outageSince, suspend, last, failure } = job;
  if (outageSince !== undefined) return chip('outage', 'bad');
  if (failure !== undefined) return chip('failed', 'bad');
  if (suspend) return chip('suspended', 'quiet');
  if (job.missedFirst !== undefined) return chip('never ran', 'bad');
  return last === undefined ? chip('not run yet', 'quiet') : chip(last.state, runTones[last.state]);
};

const lastOf = ({ last, zone }: JobView, look: PageLook): Html => {
  if (last === undefined) return html`none yet`;
  const attempt = last.attempts.at(-1);
  const took = attempt?.endedAt === undefined ? '' : `, took ${roughly(attempt.endedAt - attempt.startedAt)}`;
  return html`${momentAway(attempt?.startedAt ?? last.slot, look, zone)}${took}`;
};

const nextOf = ({ suspend, schedule, next, zone }: JobView, look: PageLook): Html => {
  if (suspend) return html`suspended`;
  if (next !== undefined) return momentAway(next, look, zone);
  return html`${schedule === undefined ? 'by hand' : 'none'}`;
};

const whyOf = (job: JobView): readonly Html[] => {
  const shown = job.failure?.run ?? job.last;
  if (shown === undefined) return [];
  const { code, reason, summary, state } = shown;
  const why = reason ?? summary ?? code;
  const advice = job.failure?.advice ?? (state === 'ok' ? undefined : adviceOf(code));
  return [
    ...(why === undefined ? [] : [html`<p class="${isDown(job) ? '' : 'quiet'}">${isolated(why)}</p>`]),
    ...(advice === undefined ? [] : [html`<p><i>What to do:</i> ${messageWithCommands(advice)}</p>`]),
  ];
};

const jobItem = (job: JobView, view: PageView, look: PageLook): Html => {
  const { lastGood, outageSince, missedFirst, zone } = job;
  return html`<li class="${isDown(job) ? 'hurt' : ''}">
    <h3>${isolated(job.job)} ${stateOf(job)} <small>${job.kind}</small></h3>
    <dl>
      ${pair('Last run', lastOf(job, look))} ${pair('Next run', nextOf(job, look))}
      ${outageSince === undefined ? '' : pair('Outage since', momentAway(outageSince, look, zone))}
      ${missedFirst === undefined ? '' : pair('First slot', html`${moment(missedFirst, look, zone)}, missed`)}
      ${
        outageSince === undefined || lastGood === undefined
          ? ''
          : pair('Last good run', momentAway(lastGood, look, zone))
      }
    </dl>
    ${strip(job.job, view)} ${whyOf(job)}
    <div class="actions">${actionForm('run', 'Run now', [['job', job.job]], look)}</div>
  </li>`;
};

/** Jobs in outage and failed ones come first. */
export const jobsSection = (view: PageView, look: PageLook): Html => {
  const { jobs } = view.status;
  if (jobs.length === 0 && view.team !== undefined) return html``;
  if (jobs.length === 0) return section('Jobs', html`<p>No jobs are declared: add jobs to jobs/*.yaml.</p>`);
  const down = jobs.filter(isDown);
  const up = jobs.filter((job) => !isDown(job));
  const more = jobs.length - maxJobs;
  return section('Jobs', [
    html`<ul>
      ${[...down, ...up].slice(0, maxJobs).map((job) => jobItem(job, view, look))}
    </ul>`,
    html`${more > 0 ? `… and ${more} more: tollkeeper status shows all.` : ''}`,
  ]);
};

const progressOf = ({ progress }: RunView): string => {
  if (progress === undefined) return '';
  const { step, done, total, rows, detail } = progress;
  return [
    detail === undefined ? step : `${step} ${detail}`,
    ...(done === undefined ? [] : [total === undefined ? String(done) : `${done} of ${total}`]),
    ...(rows === undefined ? [] : [`${rows.toLocaleString('en')} rows`]),
  ].join(', ');
};

const openItem = (run: RunView, look: PageLook): Html => {
  const attempt = run.attempts.at(-1);
  const wait =
    run.waiting === undefined
      ? run.nextAttempt !== undefined && run.nextAttempt > look.now
        ? html`next attempt ${momentAway(run.nextAttempt, look, run.zone)}`
        : html`${run.state === 'running' && attempt !== undefined ? `for ${roughly(look.now - attempt.startedAt)}` : ''}`
      : html`waiting for ${isolated(run.waiting)}`;
  return html`<li>
    <h3>${isolated(run.job)} ${chip(run.state, runTones[run.state])}</h3>
    <p>slot ${moment(run.slot, look, run.zone)}; ${wait}</p>
    ${run.progress === undefined ? '' : html`<p>${isolated(progressOf(run))}</p>`}
  </li>`;
};

export const openSection = (open: readonly RunView[], look: PageLook): Html =>
  open.length === 0
    ? html``
    : section(
        'Open runs',
        html`<ul>
          ${open.slice(0, maxJobs).map((run) => openItem(run, look))}
        </ul>`,
      );
