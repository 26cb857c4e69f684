import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemas, renderSchema } from '../../src/config/index.ts';
import { jobKinds } from '../../src/jobs/index.ts';
import { channels } from '../../src/notify/index.ts';
import { shapeOf } from '../../src/config/schema/job-schema.ts';

type Node = {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | false;
};

const schemas: { readonly tollkeeper: Node; readonly jobs: Node } = jsonSchemas(jobKinds, channels);

/** `npm run reference` writes them again. */
describe('the JSON Schemas that editors use', () => {
  it('are current, in the form that is written and not in the parsed one', async () => {
    await expect(renderSchema(schemas.tollkeeper)).toMatchFileSnapshot('../../config/tollkeeper.schema.json');
    await expect(renderSchema(schemas.jobs)).toMatchFileSnapshot('../../config/jobs.schema.json');
  });

  it('describe every setting and reject unknown keys', () => {
    const undescribed: string[] = [];
    const visit = (node: Node, path: string): void => {
      for (const [key, child] of Object.entries(node.properties ?? {})) {
        const isWrapper = child.properties !== undefined && child.description === undefined;
        if (child.description === undefined && !isWrapper) undescribed.push(`${path}.${key}`);
        visit(child, `${path}.${key}`);
      }
      if (node.properties !== undefined) expect(node.additionalProperties, path).toBe(false);
      if (typeof node.additionalProperties === 'object') visit(node.additionalProperties, `${path}.*`);
    };
    visit(schemas.tollkeeper, 'settings');
    expect(undescribed).toEqual([]);
  });

  it('are not made of a kind that redefines a common key', () => {
    const kind = { kind: 'odd', description: 'x', shape: z.object({ needs: z.number() }) };
    expect(() => shapeOf(kind)).toThrow(/kind odd redefines the common key needs/);
  });
});
