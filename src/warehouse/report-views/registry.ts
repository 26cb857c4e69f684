import { callsRelation } from './calls.ts';
import { changedUsageView } from './changed-usage.ts';
import { cubeRelation, daysRelation } from './cube-columns.ts';
import { comparisonsView, restatedDaysView, usageDaysView } from './evidence.ts';
import { fittedPricesView, recentPricesView } from './fitted-prices.ts';
import {
  accountsView,
  budgetsView,
  forecastView,
  journalView,
  pricesView,
  runView,
  teamsView,
} from './given.ts';
import { keyAuditView } from './key-audit.ts';
import { accountHistoryView, keyHistoryView, keysView } from './keys.ts';
import { rotationsView } from './rotations.ts';
import type { ReportRelation } from './relation.ts';
import { unusualDaysView } from './unusual-days.ts';
import type { ReportView } from './view.ts';

/** The tables that are copied for a report when its SQL names them. */
export const reportViews: readonly ReportView[] = [
  keysView,
  keyHistoryView,
  keyAuditView,
  rotationsView,
  accountHistoryView,
  restatedDaysView,
  comparisonsView,
  usageDaysView,
  pricesView,
  fittedPricesView,
  recentPricesView,
  unusualDaysView,
  changedUsageView,
  budgetsView,
  forecastView,
  journalView,
  accountsView,
  teamsView,
  runView,
];

/** All tables that a report's SQL may name, and nothing else. */
export const reportRelations: readonly ReportRelation[] = [
  cubeRelation,
  daysRelation,
  callsRelation,
  ...reportViews,
];
