export { chargesOf, type ChargeRules } from './charges.ts';
export { columnsOf, type FocusExport, type FocusVersion } from './columns.ts';
export { csvLines } from './csv.ts';
export { splitCharge, type Consumption } from './split-charge.ts';
