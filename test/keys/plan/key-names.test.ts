import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultTemplate,
  isKeyName,
  isServiceName,
  parseKeyName,
  placeByName,
  printKeyName,
  randomSuffix,
  readTemplate,
  templateOf,
} from '../../../src/keys/plan/key-names.ts';
import { runs } from '../../support/storm.ts';
import { approved, titled } from '../../support/approved.ts';

const part = fc.oneof(
  fc.constantFrom('', '.', '.g', '-', 'v', 'g1', '1g', '_0', '{', '7', '-7', '..', 'é'),
  fc.string({ maxLength: 4 }),
);
const texts = fc
  .tuple(fc.boolean(), part, part, part)
  .map(([first, before, between, after]) =>
    first
      ? `${before}{service}${between}{generation}${after}`
      : `${before}{generation}${between}{service}${after}`,
  );
const services = fc.oneof(
  fc.constantFrom('billing', 'a.g7', '7', '.g', 'g1.g2', '客服'),
  fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
);
const generations = fc.oneof(fc.integer({ min: 1, max: 1200 }), fc.integer({ min: 1 }));

describe('a key name', () => {
  it('is parsed as it was printed, and printed as it was parsed, by every accepted template', () => {
    fc.assert(
      fc.property(texts, services, generations, (text, service, generation) => {
        const template = readTemplate(text);
        if ('problem' in template) return;
        const name = printKeyName(template, { service, generation });
        expect(parseKeyName(template, name)).toEqual({ service, generation });
      }),
      { numRuns: runs(400) },
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[ab.g0-9]{1,12}$/)),
        fc.constantFrom('{service}.g{generation}', '{generation}-{service}', 'k{service}g{generation}.'),
        (name, text) => {
          const place = parseKeyName(templateOf(text), name);
          if (place !== undefined) expect(printKeyName(templateOf(text), place)).toBe(name);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('that fits two services or two generations exists in no template', () => {
    const place = fc.record({
      service: fc.stringMatching(/^[a1.g0]{1,4}$/),
      generation: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(texts, place, place, (text, one, other) => {
        const template = readTemplate(text);
        if ('problem' in template) return;
        const same = one.service === other.service && one.generation === other.generation;
        expect(printKeyName(template, one) === printKeyName(template, other)).toBe(same);
      }),
      { numRuns: runs(400) },
    );
  });

  it('cannot have a template without one place for the service and the generation, or with more than them', async () => {
    const problems = [
      '{service}',
      '{service}{service}.g{generation}',
      '{service}{generation}',
      '{service}-1{generation}',
      '{generation}{service}',
      '{service}.g{generation}0',
      '{account}.{service}.g{generation}',
      '{service}.g{generation}}',
      '{service}-{generation}-{random}',
      `${'x'.repeat(41)}{service}.{generation}`,
    ].map((text) => {
      const template = readTemplate(text);
      return [text, 'problem' in template ? template.problem : 'accepted'] as const;
    });
    await expect(titled(problems)).toMatchFileSnapshot(approved('keys/name-templates'));
  });

  const plain = '{service}.g{generation}';
  it.each([
    [plain, 'billing.g7', { service: 'billing', generation: 7 }],
    [plain, 'billing', { service: 'billing', generation: 1 }],
    [plain, 'billing.g07', { service: 'billing.g07', generation: 1 }],
    [plain, 'billing.g0', { service: 'billing.g0', generation: 1 }],
    [plain, 'billing.g7 ', { service: 'billing.g7 ', generation: 1 }],
    [plain, '.g7', { service: '.g7', generation: 1 }],
    [plain, 'a.g99999999999999999999', { service: 'a.g99999999999999999999', generation: 1 }],
    [defaultTemplate, 'billing.g7-k3x9', { service: 'billing', generation: 7, suffix: 'k3x9' }],
    [defaultTemplate, 'billing.g7', { service: 'billing', generation: 7 }],
    [defaultTemplate, 'billing.g7-prod', { service: 'billing.g7-prod', generation: 1 }],
    [defaultTemplate, 'billing.g7-2024', { service: 'billing.g7-2024', generation: 1 }],
    [defaultTemplate, 'web-k3x9', { service: 'web-k3x9', generation: 1 }],
  ])('of the template %s is parsed: %j', (template, name, place) => {
    expect(placeByName(templateOf(template), name)).toEqual(place);
  });

  it('has a random suffix only by the default template, unless the suffix would make it too long', () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (drawn) => {
          const suffix = randomSuffix(() => drawn.next().value);
          expect(suffix).toMatch(/^[a-z]\d[a-z]\d$/);
          const place = { service: 'billing', generation: 7, suffix };
          const name = printKeyName(templateOf(defaultTemplate), place);
          expect(name).toBe(`billing.g7-${suffix}`);
          expect(parseKeyName(templateOf(defaultTemplate), name)).toEqual(place);
          expect(printKeyName(templateOf('{service}.g{generation}'), place)).toBe('billing.g7');
          const long = { service: 'x'.repeat(43), generation: 7, suffix };
          expect(printKeyName(templateOf(defaultTemplate), long)).toBe(`${'x'.repeat(43)}.g7`);
        },
      ),
    );
  });

  it('has at most 50 bytes, however few characters these are', () => {
    expect(['x'.repeat(50), 'x'.repeat(51), 'é'.repeat(26)].map(isKeyName)).toEqual([true, false, false]);
  });

  it('contains services that are valid in paths and commands', () => {
    expect(['billing', 'prod search', '客服-prod', 'a.b_c'].map(isServiceName)).not.toContain(false);
    expect(
      ['../x', 'a/b', '..', '-rf', '.env', 'a\\b', 'a\nb', ' a', 'a ', '', 'a\0b'].map(isServiceName),
    ).not.toContain(true);
  });
});
