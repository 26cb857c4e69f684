/**
 * Colours of the series in charts, distinguishable on white and on black. The first eight are Observable 10; each
 * further one is the colour farthest from all before it (OKLab).
 */
const palette = [
  '#4269d0',
  '#efb118',
  '#ff725c',
  '#6cc5b0',
  '#3ca951',
  '#ff8ab7',
  '#a463f2',
  '#9c6b4e',
  '#c70579',
  '#f924e4',
  '#356e35',
  '#24a4f9',
  '#7a06ef',
  '#dc2c18',
  '#83428a',
  '#108693',
  '#b6689f',
  '#b405c7',
  '#8dc705',
  '#b8933d',
  '#da7ef1',
  '#fa4c92',
  '#dba994',
  '#425f8a',
  '#a83124',
  '#89b8e6',
  '#7c871d',
  '#24a8a8',
  '#6e5735',
  '#8989e6',
  '#c79fd1',
  '#064cef',
] as const;

export const otherColour = '#9498a0';

/** A colour for each number, in the given order; if two would share one, the later gets the first free one. */
export const coloursOf = (numbers: readonly number[]): readonly string[] => {
  const given: string[] = [];
  for (const number of numbers) {
    const own = palette[number % palette.length] ?? otherColour;
    given.push(given.includes(own) ? (palette.find((colour) => !given.includes(colour)) ?? own) : own);
  }
  return given;
};
