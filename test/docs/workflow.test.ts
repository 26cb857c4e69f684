import { readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

type Workflow = {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly container: string; readonly steps: readonly { readonly run?: string }[] }>
  >;
};

const project = new URL('../../', import.meta.url);
const textOf = (path: string): Promise<string> => readFile(new URL(path, project), 'utf8');

it('the workflow of pull requests runs .ci/run alone, in an image of the Node version that the project supports', async () => {
  const { on, permissions, jobs } = parse(await textOf('.github/workflows/ci.yml')) as Workflow;
  expect(Object.keys(on)).toContain('pull_request');
  expect(permissions).toEqual({ contents: 'read' });
  const [job, ...others] = Object.values(jobs);
  expect(others).toEqual([]);
  expect(job?.steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run']);
  expect(((await stat(new URL('.ci/run', project))).mode & 0o111) !== 0).toBe(true);
  const { engines } = JSON.parse(await textOf('package.json')) as { engines: { node: string } };
  const [, major] = /(\d+)/.exec(engines.node) ?? [];
  expect(job?.container).toBe(`node:${major}-bookworm`);
});
