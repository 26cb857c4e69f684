import { html } from 'hono/html';
import { adviceOf } from '../../core/index.ts';
import type { JobView, RunView } from '../status-view.ts';
import { runTones } from '../tones.ts';
import {
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

/** Keeps the page readable; `status` shows all. */
const maxJobs = 200;

const isDown = ({ outageSince, failure }: JobView): boolean =>
  outageSince !== undefined || failure !== undefined;

const stateOf = ({ outageSince, suspend, last, failure }: JobView): Html => {
  if (outageSince !== undefined) return chip('outage', 'bad');
  if (failure !== undefined) return chip('failed', 'bad');
  if (suspend) return chip('suspended', 'quiet');
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

const jobItem = (job: JobView, look: PageLook): Html => {
  const { lastGood, outageSince, zone } = job;
  return html`<li class="${isDown(job) ? 'hurt' : ''}">
    <h3>${isolated(job.job)} ${stateOf(job)} <small>${job.kind}</small></h3>
    <dl>
      ${pair('Last run', lastOf(job, look))} ${pair('Next run', nextOf(job, look))}
      ${outageSince === undefined ? '' : pair('Outage since', momentAway(outageSince, look, zone))}
      ${
        outageSince === undefined || lastGood === undefined
          ? ''
          : pair('Last good run', momentAway(lastGood, look, zone))
      }
    </dl>
    ${whyOf(job)}
  </li>`;
};

/** Jobs in outage and failed ones come first. */
export const jobsSection = (jobs: readonly JobView[], look: PageLook): Html => {
  if (jobs.length === 0) return section('Jobs', html`<p>No jobs are declared: add jobs to jobs/*.yaml.</p>`);
  const down = jobs.filter(isDown);
  const up = jobs.filter((job) => !isDown(job));
  const more = jobs.length - maxJobs;
  return section('Jobs', [
    html`<ul>
      ${[...down, ...up].slice(0, maxJobs).map((job) => jobItem(job, look))}
    </ul>`,
    html`${more > 0 ? `… and ${more} more: tollkeeper status shows all.` : ''}`,
  ]);
};

const openItem = (run: RunView, look: PageLook): Html => {
  const attempt = run.attempts.at(-1);
  const wait =
    run.waiting === undefined
      ? run.nextAttempt !== undefined && run.nextAttempt > look.now
        ? html`next attempt ${momentAway(run.nextAttempt, look, run.zone)}`
        : html`${run.state === 'running' && attempt !== undefined ? `for ${roughly(look.now - attempt.startedAt)}` : ''}`
      : html`waiting: ${isolated(run.waiting)}`;
  return html`<li>
    <h3>${isolated(run.job)} ${chip(run.state, runTones[run.state])}</h3>
    <p>slot ${moment(run.slot, look, run.zone)}; ${wait}</p>
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
