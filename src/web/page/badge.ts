import { html } from 'hono/html';
import type { JobView } from '../status-view.ts';
import { runTones, type Tone } from '../tones.ts';
import { roughly, type Html } from './messages.ts';

/** Dark enough for white text. */
const grounds: Readonly<Record<Tone, string>> = {
  good: '#11683a',
  bad: '#a3121f',
  warn: '#7a4b00',
  busy: '#1b4f9c',
  quiet: '#586070',
};

const stateOf = (
  { outageSince, failure, missedFirst, suspend, last }: JobView,
  now: number,
): readonly [text: string, tone: Tone] => {
  if (outageSince !== undefined) return [`outage for ${roughly(now - outageSince)}`, 'bad'];
  if (failure !== undefined) return ['failed', 'bad'];
  if (suspend) return ['suspended', 'quiet'];
  if (missedFirst !== undefined) return ['never ran', 'bad'];
  if (last === undefined) return ['not run yet', 'quiet'];
  const at = last.attempts.at(-1)?.endedAt;
  return [at === undefined ? last.state : `${last.state} ${roughly(now - at)} ago`, runTones[last.state]];
};

/** Wide enough for any letter in Verdana at 11 px. */
const widthOf = (text: string): number => Array.from(text).length * 7 + 12;

/** The state of a job as a badge for a README or a wiki. */
export const badge = (job: JobView, now: number): Html => {
  const [text, tone] = stateOf(job, now);
  const [left, right] = [widthOf(job.job), widthOf(text)];
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${left + right}"
    height="20"
    role="img"
    aria-label="${job.job}: ${text}"
  >
    <title>${job.job}: ${text}</title>
    <rect width="${left + right}" height="20" rx="3" fill="#33373f" />
    <path d="M${left} 0h${right - 3}q3 0 3 3v14q0 3 -3 3h-${right - 3}z" fill="${grounds[tone]}" />
    <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
      <text x="${left / 2}" y="14" textLength="${left - 12}">${job.job}</text>
      <text x="${left + right / 2}" y="14" textLength="${right - 12}">${text}</text>
    </g>
  </svg>`;
};
