export { chargesOf, isCorrection, type ChargeRules, type CostOwner, type FocusCharge } from './charges.ts';
export { columnsOf, type FocusExport, type FocusNames } from './columns.ts';
export { splitCharge, type Consumption } from './split-charge.ts';
export { billingPeriod, costAndUsage, csvPieces, type FocusTable } from './tables.ts';
