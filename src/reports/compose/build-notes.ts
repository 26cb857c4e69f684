import { runsOf, type LocalDay } from '../../core/index.ts';
import type { Spike } from './build-chart.ts';
import { describeReconciled } from './build-footer.ts';
import type { Context } from './context.ts';
import type { ReportFacts } from '../definition/facts.ts';
import { formatMoney, formatTimes } from '../../messages/index.ts';
import type { NotesModel } from './model.ts';
import { shorten, showName } from './names.ts';

const maxWarnings = 8;

/** Ranges of consecutive days, as `Nov 3, Nov 7 – 9`. */
const describeDays = (days: readonly LocalDay[], context: Context): string => {
  const shown = runsOf(days, (last, next) => last.end === next.start).map((run) => {
    const [first, last] = [run[0].date, (run.at(-1) ?? run[0]).date];
    return first === last ? context.locale.shortDay(first) : context.locale.range(first, last);
  });
  return shorten(context.locale.list(shown), 200);
};

/** A sentence about the unusual value in a chart. */
export const describeSpike = ({ label, total, times }: Spike, { currency, locale }: Context): string =>
  locale.messages.spike(label, formatMoney(total, currency, locale), formatTimes(times, locale));

/** Missing and incomplete days, a spike, then the warnings of the run. */
export const buildNotes = (
  title: string | undefined,
  spike: Spike | undefined,
  facts: ReportFacts,
  context: Context,
): NotesModel => {
  const { messages } = context.locale;
  const { days } = context.period;
  const missing = days.filter((day) => context.covers(day) === 'missing');
  const partial = days.filter((day) => context.covers(day) === 'partial');
  const watermark =
    facts.dataThrough === undefined ? undefined : context.locale.moment(facts.dataThrough, context.zone);
  const warnings = [
    ...(missing.length === 0 ? [] : [messages.missingDays(describeDays(missing, context), missing.length)]),
    ...partial.flatMap((day) =>
      watermark !== undefined && facts.dataThrough !== undefined && facts.dataThrough < day.end
        ? [messages.partialDay(context.locale.shortDay(day.date), watermark)]
        : [],
    ),
    ...(facts.reconciliation === undefined || facts.reconciliation.good
      ? []
      : [messages.footer.reconciliation(describeReconciled(facts, facts.reconciliation, context.locale))]),
    ...facts.warnings.slice(0, maxWarnings).map((warning) => showName(warning, 400)),
  ];
  const looks = spike === undefined ? [] : [describeSpike(spike, context)];
  return {
    kind: 'notes',
    title,
    notes: [
      ...warnings.map((text) => ({ tone: 'warning' as const, text })),
      ...looks.map((text) => ({ tone: 'look' as const, text })),
    ],
  };
};
