export { chargesOf, type ChargeKind, type ChargeRules, type CostOwner, type FocusCharge } from './charges.ts';
export {
  columnsOf,
  focusTime,
  focusVersions,
  type FocusColumn,
  type FocusExport,
  type FocusNames,
  type FocusVersion,
} from './columns.ts';
export { csvLines } from './csv.ts';
export { splitCharge, type ClassPrices, type Consumption, type Split } from './split-charge.ts';
