import { markup, type Html } from './markup.ts';
import type { Change } from '../compose/model.ts';
import { colour } from './styles.ts';

const arrows: Readonly<Record<Change['direction'], string>> = {
  up: '▲ ',
  down: '▼ ',
  same: '',
  new: '',
  unknown: '',
};

/** An arrow shows the direction, so that it does not depend on colour alone. */
export const changeText = ({ direction, text }: Change): string =>
  `${arrows[direction]}${text.replace(/^[+-]/, '')}`;

export const htmlChange = (change: Change): Html => {
  const text = changeText(change);
  if (change.tone === 'bad') return markup`<span class="bd" style="color:${colour.bad}">${text}</span>`;
  if (change.tone === 'good') return markup`<span class="gd" style="color:${colour.good}">${text}</span>`;
  return markup`<span class="sf" style="color:${colour.soft}">${text}</span>`;
};
