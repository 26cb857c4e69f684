import { mkdir } from 'node:fs/promises';
import { expect } from 'vitest';
import { chromium, type Browser, type Page } from 'playwright-core';

/** With a folder in TOLLKEEPER_LOOKS the pictures are kept there, to be looked at. */
const pictures = process.env['TOLLKEEPER_LOOKS'];

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });

export type Look = { readonly width: number; readonly colorScheme?: 'light' | 'dark' };

/** Shows a page, keeps its picture under the name, and checks that nothing overflows, is faint, is fetched or runs. */
export const expectReadable = async (
  browser: Browser,
  html: string,
  { width, colorScheme = 'light' }: Look,
  name: string,
  more: (page: Page) => Promise<void> = async () => undefined,
): Promise<void> => {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  try {
    const attempts: string[] = [];
    page.on('request', (request) => attempts.push(request.url()));
    page.on('dialog', (dialog) => attempts.push(dialog.message()));
    await page.setContent(html, { waitUntil: 'load' });
    if (pictures !== undefined) {
      await mkdir(pictures, { recursive: true });
      const file = `${name.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: `${pictures}/${file}`, fullPage: true });
    }
    expect(await overflow(page)).toEqual([]);
    expect(await faint(page)).toEqual([]);
    expect(attempts.filter((url) => !url.startsWith('data:') && !url.startsWith('cid:'))).toEqual([]);
    await more(page);
  } finally {
    await page.close();
  }
};

// What runs in the page is text: the types of a browser stay out of this program.

/** Elements that reach out of the window, and whether the page scrolls sideways. */
export const overflow = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    const out = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return right > width + 0.5 || left < -0.5;
    });
    const found = out.map((element) => element.tagName + ' ' + element.textContent.trim().slice(0, 40));
    return document.documentElement.scrollWidth > width ? ['the page scrolls', ...found] : found;
  })()`);

/** Texts whose contrast against the ground below them is under 4.5 : 1 (WCAG 2.2, 1.4.3). */
export const faint = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = (colour) => {
      const [r, g, b] = channels(colour).map((value) => {
        const part = value / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
      for (let at = element; at !== null; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (channels(backgroundColor)[3] !== 0) return backgroundColor;
      }
      return 'rgb(255, 255, 255)';
    };
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent.trim();
      const parent = node.parentElement;
      if (text === '' || text === '■' || parent.getClientRects().length === 0) continue;
      const [one, two] = [luminance(getComputedStyle(parent).color), luminance(ground(parent))];
      const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
      if (contrast < 4.5) found.add(text.slice(0, 40) + ' ' + contrast.toFixed(2));
    }
    return [...found];
  })()`);
