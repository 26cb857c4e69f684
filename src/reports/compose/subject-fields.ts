import type { Context } from './context.ts';
import type { TemplateField } from '../definition/definition.ts';
import type { ReportFacts } from '../definition/facts.ts';
import type { Messages } from '../../messages/index.ts';
import type { Change, DataState, HeadlineModel } from './model.ts';
import { showName } from './names.ts';

/** Fills `{field}`s; a piece between ` · ` whose fields are all empty is omitted. One line, at most 200 characters. */
export const fillTemplate = (template: string, fields: Readonly<Record<TemplateField, string>>): string => {
  const pieces = template.split(' · ').map((piece) => {
    const names = [...piece.matchAll(/\{(\w+)\}/g)].map(([, name]) => fields[name as TemplateField]);
    if (names.length > 0 && names.every((value) => value === '')) return '';
    return piece.replaceAll(/\{(\w+)\}/g, (_, name: TemplateField) => fields[name]).trim();
  });
  return showName(pieces.filter((piece) => piece !== '').join(' · '), 200);
};

const describeChange = (change: Change, messages: Messages): string => {
  const percent = change.text.replace(/^[+-]/, '');
  if (change.direction === 'up') return messages.up(percent);
  if (change.direction === 'down') return messages.down(percent);
  return change.direction === 'same' ? messages.unchanged : '';
};

const describeVerdict = (facts: ReportFacts, messages: Messages): string => {
  if (facts.reconciliation === undefined || facts.selectsNothing !== undefined) return '';
  return facts.reconciliation.good ? messages.reconciled : messages.notReconciled;
};

/** The fields for the templates of subject and preheader; empty when there is no value. */
export const subjectFields = (
  title: string,
  account: string,
  team: string,
  headline: HeadlineModel,
  state: DataState,
  facts: ReportFacts,
  context: Context,
): Readonly<Record<TemplateField, string>> => {
  const { messages } = context.locale;
  const { selectsNothing } = facts;
  const figures =
    selectsNothing === undefined
      ? {
          total: headline.value.text,
          before: headline.compared,
          change: describeChange(headline.change, messages),
          cause: headline.cause?.replace(/[.。]$/, '') ?? '',
        }
      : { total: selectsNothing, before: '', change: '', cause: '' };
  return {
    ...figures,
    title,
    account: showName(account, 40),
    team: showName(team, 40),
    period: context.period.label,
    verdict: describeVerdict(facts, messages),
    state: state === 'partial' ? messages.incomplete : '',
  };
};
