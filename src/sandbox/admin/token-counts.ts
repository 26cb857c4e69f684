import type { Cell } from '../traffic/cells.ts';
import type { Variants } from '../variants.ts';

export const promptTokens = (
  variants: Variants,
  cell: Pick<Cell, 'model' | 'promptAlone' | 'promptWithCached'>,
): number => {
  const included =
    variants.prompt_tokens === 'per-vendor'
      ? cell.model?.promptIncludesCached === true
      : variants.prompt_tokens === 'includes-cached';
  return included ? cell.promptWithCached : cell.promptAlone;
};

export const completionTokens = (
  variants: Variants,
  cell: Pick<Cell, 'model' | 'completion' | 'reasoning'>,
): number => {
  const excluded =
    variants.completion_tokens === 'per-vendor'
      ? cell.model?.vendor === 'google'
      : variants.completion_tokens === 'excludes-reasoning';
  return excluded ? cell.completion - cell.reasoning : cell.completion;
};
