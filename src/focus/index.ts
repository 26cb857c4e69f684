export { chargesOf, isCorrection, type ChargeRules } from './charges.ts';
export { columnsOf, type FocusExport, type FocusNames } from './columns.ts';
export { billingPeriodLines, csvLines } from './csv.ts';
export { splitCharge, type Consumption } from './split-charge.ts';
