import { shellWord } from '../../core/index.ts';
import type { OldKey } from '../model/rotation.ts';

export const undeclaredText = (places: readonly string[]): string =>
  `${places.join(' and ')} may hold it, and no job declares ${places.length === 1 ? 'this place' : 'these places'} any more`;

export const undeclaredMessage = ({ name }: OldKey, service: string, places: readonly string[]): string =>
  `${name} is retained: ${undeclaredText(places)}; declare ${places.length === 1 ? 'it' : 'them'} under \`deliver\` again, or confirm with \`tollkeeper keys give-up ${shellWord(service)} --forget-places\` that no consumer there uses the key`;
