import { createHash } from 'node:crypto';
import { addMonths } from '../../core/index.ts';
import type { BuildRequest } from './build-request.ts';
import type { ReportData } from '../attachments/data.ts';
import type { Locale } from '../locales/locale.ts';
import type { DataState, NotesModel, Checksum, TextModel } from './model.ts';
import type { OpenReason } from '../locales/locale.ts';

/** Why a period cannot be closed; undefined if it can. Warnings and doubts state what the figures omit. */
const openReasons = (
  { period: { first, last, interval, days }, deps, facts }: BuildRequest,
  state: DataState,
  doubts: readonly string[],
): readonly OpenReason[] => {
  const nextDay = new Date(Date.parse(`${last}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  const isMonth = first.endsWith('-01') && nextDay === addMonths(first, 1);
  // Without the moment of the run, no period is known to be over.
  const isOver = deps?.run !== undefined && deps.run.now >= interval.end * 1000;
  return [
    ...(isMonth && days.length > 0 ? [] : (['not-a-month'] as const)),
    ...(isOver ? [] : (['not-over'] as const)),
    ...(state === 'complete' ? [] : (['not-covered'] as const)),
    ...(facts.warnings.length + doubts.length === 0 ? [] : (['not-complete'] as const)),
  ];
};

/** Every figure with all its digits; the same figures always produce the same bytes. */
const documentOf = ({ account, currency, zone, period, deps }: BuildRequest, data: ReportData): string => {
  const { teams, models, keys, tags } = deps?.only ?? {};
  const document = {
    version: 1,
    account,
    teams,
    models,
    keys,
    tags,
    currency,
    zone,
    from: new Date(period.interval.start * 1000).toISOString(),
    to: new Date(period.interval.end * 1000).toISOString(),
    figures: data.figures.rows.map(([label, exact, unit]) => ({ label, exact, unit })),
    tables: data.tables.map(({ name, columns, rows, total }) => ({
      name,
      columns: columns.map((column) => column.name),
      rows,
      total,
    })),
  };
  return `${JSON.stringify(document, undefined, 1)}\n`;
};

/** Closes the month of the report, or returns why it cannot be closed. */
export const sealOf = (
  request: BuildRequest,
  state: DataState,
  doubts: readonly string[],
  data: ReportData,
): Checksum | undefined => {
  if (request.definition.closes === undefined) return undefined;
  const reasons = openReasons(request, state, doubts);
  if (reasons.length > 0) return { state: 'draft', reasons };
  const document = documentOf(request, data);
  return { state: 'closed', document, sha256: createHash('sha256').update(document).digest('hex') };
};

/** The section of the mail: a warning above the figures, or the checksum below them. */
export const sealSections = (
  seal: Checksum | undefined,
  { messages }: Locale,
): { readonly above: readonly NotesModel[]; readonly below: readonly TextModel[] } => {
  if (seal === undefined) return { above: [], below: [] };
  if (seal.state === 'closed')
    return {
      above: [],
      below: [{ kind: 'text', title: messages.seal.title, paragraphs: messages.seal.closed(seal.sha256) }],
    };
  const reasons = seal.reasons.map((reason) => messages.seal.reasons[reason]);
  const text = messages.seal.draft(reasons);
  return { above: [{ kind: 'notes', title: undefined, notes: [{ tone: 'warning', text }] }], below: [] };
};

/** The part of the subject before the note on incomplete data. */
export const sealState = (seal: Checksum, state: string, { messages }: Locale): string =>
  [
    seal.state === 'closed' ? messages.seal.isClosed : messages.seal.isDraft,
    ...(state === '' ? [] : [state]),
  ].join(', ');
