import type { TemplateField } from './definition.ts';
import { showName } from '../build/names.ts';

/** Fills `{field}`s; a piece between ` · ` whose fields are all empty is omitted. One line, at most 200 characters. */
export const fillTemplate = (template: string, fields: Readonly<Record<TemplateField, string>>): string => {
  const pieces = template.split(' · ').map((piece) => {
    const names = [...piece.matchAll(/\{(\w+)\}/g)].map(([, name]) => fields[name as TemplateField]);
    if (names.length > 0 && names.every((value) => value === '')) return '';
    return piece.replaceAll(/\{(\w+)\}/g, (_, name: TemplateField) => fields[name]).trim();
  });
  return showName(pieces.filter((piece) => piece !== '').join(' · '), 200);
};
