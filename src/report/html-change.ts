import { html } from './html.ts';
import type { Html } from './html.ts';
import type { Change } from './model.ts';
import { colour } from './styles.ts';

const arrows: Readonly<Record<Change['direction'], string>> = {
  up: '▲ ',
  down: '▼ ',
  same: '',
  new: '',
  unknown: '',
};

/** An arrow says the direction, so that it does not hang on colour alone. */
export const htmlChange = (change: Change): Html => {
  const text = `${arrows[change.direction]}${change.text.replace(/^[+-]/, '')}`;
  if (change.tone === 'bad') return html`<span class="bd" style="color:${colour.bad}">${text}</span>`;
  if (change.tone === 'good') return html`<span class="gd" style="color:${colour.good}">${text}</span>`;
  return html`<span class="sf" style="color:${colour.soft}">${text}</span>`;
};
