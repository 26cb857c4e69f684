import { describe, expect, it } from 'vitest';
import { jsonSchemas, renderSchema } from '../../src/config/index.ts';
import { jobKinds } from '../../src/jobs/index.ts';
import { channels } from '../../src/notify/index.ts';

/** `npm run reference` writes them again. */
describe('the JSON Schemas that editors use', () => {
  const schemas = jsonSchemas(jobKinds, channels);

  it('include a current tollkeeper.schema.json', async () => {
    await expect(renderSchema(schemas.tollkeeper)).toMatchFileSnapshot('../../config/tollkeeper.schema.json');
  });

  it('include a current jobs.schema.json', async () => {
    await expect(renderSchema(schemas.jobs)).toMatchFileSnapshot('../../config/jobs.schema.json');
  });

  it('change when a kind of job changes', () => {
    const [first, ...others] = jobKinds;
    if (first === undefined) throw new Error('there are no kinds');
    const planted = [{ ...first, kind: 'pull-moon' }, ...others];
    expect(renderSchema(jsonSchemas(planted, channels).jobs)).not.toBe(renderSchema(schemas.jobs));
  });
});
