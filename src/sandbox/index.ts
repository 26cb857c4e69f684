export { startSandbox, type Sandbox, type SandboxOptions } from './start.ts';
export { scopes, type Scope } from './state.ts';
export { parseVariants, variantNames, variantTable, type VariantName, type Variants } from './variants.ts';
export { sandboxHelp } from './help.ts';
export { hostileNames } from './hostile/hostile.ts';
export type { Fault } from './faults.ts';
export type { TruthRow } from './truth.ts';
export { spike } from './traffic/consumers.ts';
