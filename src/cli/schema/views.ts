import { didYouMean, fault } from '../../core/index.ts';
import { reportRelations } from '../../settings.ts';

/** The views that SQL reads, or the one of this name. @throws Fault `wrong-use` when there is none */
export const viewsNamed = (name: string | undefined): typeof reportRelations => {
  const views = reportRelations.filter((view) => name === undefined || view.name === name);
  if (views.length > 0) return views;
  const names = reportRelations.map((view) => view.name);
  throw fault('wrong-use', `there is no view ${name}`, {
    advice: didYouMean(name ?? '', names) ?? `use one of ${names.join(', ')}`,
  });
};
