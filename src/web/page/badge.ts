import { html } from 'hono/html';
import type { Mark } from '../blocks.ts';
import { jobMark, type JobView } from '../sections/jobs.ts';
import type { Tone } from '../tones.ts';
import { roughly, type Html } from './widgets.ts';

/** Dark enough for white text. */
const grounds: Readonly<Record<Tone, string>> = {
  good: '#11683a',
  bad: '#a3121f',
  warn: '#7a4b00',
  busy: '#1b4f9c',
  quiet: '#586070',
};

const stateOf = (job: JobView, now: number): Mark => {
  const { outageSince, last } = job;
  const mark = jobMark(job);
  if (outageSince !== undefined) return { ...mark, text: `outage for ${roughly(now - outageSince)}` };
  const at = last?.attempts.at(-1)?.endedAt;
  return at === undefined || mark.text !== last?.state
    ? mark
    : { ...mark, text: `${mark.text} ${roughly(now - at)} ago` };
};

/** Wide enough for any letter in Verdana at 11 px. */
const widthOf = (text: string): number => Array.from(text).length * 7 + 12;

/** The state of a job as a badge for a README or a wiki. */
export const badge = (job: JobView, now: number): Html => {
  const { text, tone } = stateOf(job, now);
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
