import { createHash } from 'node:crypto';
import { isWholeMonth } from '../../core/index.ts';
import type { BuildRequest } from './build-request.ts';
import { boundOf, unitOf, type ReportData } from '../attachments/data.ts';
import type { Locale, OpenReason } from '../../messages/index.ts';
import type { DataState, NotesModel, Checksum, TextModel } from './model.ts';

/** A count of tokens may be the least that it can be; money may not. */
const hasLowerBoundOfMoney = ({ figures }: ReportData, currency: string): boolean =>
  figures.rows.some((row) => boundOf(row) !== null && unitOf(row) === currency);

/** Why a period cannot be closed; empty if it can. Warnings and doubts state what the figures omit. */
const openReasons = (
  { period: { first, last, interval, days }, deps, facts, currency, allow = [] }: BuildRequest,
  state: DataState,
  doubts: readonly string[],
  data: ReportData,
): readonly OpenReason[] => {
  // Without the moment of the run, no period is known to be over.
  const isOver = deps?.run !== undefined && deps.run.now >= interval.end * 1000;
  return [
    ...(isWholeMonth(first, last) && days.length > 0 ? [] : (['not-a-month'] as const)),
    ...(isOver ? [] : (['not-over'] as const)),
    ...(state === 'complete' ? [] : (['not-covered'] as const)),
    ...(facts.warnings.length + doubts.length === 0 && !hasLowerBoundOfMoney(data, currency)
      ? []
      : (['not-complete'] as const)),
    // Data that does not cover the period cannot agree: one reason is enough.
    ...(state !== 'complete' || facts.reconciliation?.good === true || allow.includes('unreconciled')
      ? []
      : (['not-reconciled'] as const)),
  ];
};

/** Every figure with all its digits; the same figures always produce the same bytes. */
const documentOf = (
  { account, currency, zone, period, deps, facts, allow = [] }: BuildRequest,
  data: ReportData,
): string => {
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
    // What a person allowed, and what the comparison said: only where it was not good.
    ...(facts.reconciliation?.good === true
      ? {}
      : {
          allowed: allow.filter((one) => one === 'unreconciled'),
          reconciliation: facts.reconciliation?.verdict ?? 'unknown',
        }),
    figures: data.figures.rows.map((row) => {
      const [label, value] = row;
      const unit = unitOf(row);
      return boundOf(row) === null ? { label, exact: value, unit } : { label, at_least: value, unit };
    }),
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
  const reasons = openReasons(request, state, doubts, data);
  if (reasons.length > 0) return { state: 'draft', reasons };
  const document = documentOf(request, data);
  const sha256 = createHash('sha256').update(document).digest('hex');
  const { reconciliation } = request.facts;
  return {
    state: 'closed',
    document,
    sha256,
    ...(reconciliation?.good === true
      ? {}
      : { allowed: request.facts.ofPart === true ? '' : (reconciliation?.text ?? '') }),
  };
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
      below: [
        {
          kind: 'text',
          title: messages.seal.title,
          paragraphs: [
            ...messages.seal.closed(seal.sha256),
            ...(seal.allowed === undefined ? [] : [messages.seal.allowed(seal.allowed)]),
          ],
        },
      ],
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
