/** Colours of the series of a chart, told apart on white and on black (Observable 10). */
export const palette = [
  '#4269d0',
  '#efb118',
  '#ff725c',
  '#6cc5b0',
  '#3ca951',
  '#ff8ab7',
  '#a463f2',
  '#9c6b4e',
] as const;

export const otherColour = '#9498a0';
