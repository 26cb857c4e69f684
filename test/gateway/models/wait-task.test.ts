import { describe, expect, it } from 'vitest';
import { waitForTask, type TaskId } from '../../../src/gateway/index.ts';
import { samples } from './samples.ts';
import { jsonReply, scriptedModels, type Reply } from './scripted-models.ts';

const image: TaskId = { kind: 'image', id: '17' };
const music: TaskId = { kind: 'music', id: 'task-1' };

const imageIn = (status: string, progress = '0%', failReason = ''): Reply =>
  jsonReply({ ...samples.imageTask, status, progress, failReason });
const musicIn = (status: string): Reply =>
  jsonReply({ ...samples.musicTask, data: { ...samples.musicTask.data, status } });

const wait = async (task: TaskId, replies: readonly Reply[], deadline = 600_000) => {
  const { deps, key, seen, clock } = await scriptedModels(replies);
  const states: (string | undefined)[] = [];
  const outcome = await waitForTask(deps, key, task, {
    deadline,
    onState: ({ status }) => states.push(status),
  }).catch((error: unknown) => error);
  return { outcome, states, seen, clock };
};

describe('a task that is waited for', () => {
  it('is polled through all its states until it has succeeded (G9.5, G9.5.image_task_states)', async () => {
    const names = ['NOT_START', 'SUBMITTED', 'MODAL', 'IN_PROGRESS', 'PAINTING', 'in_progress', 'SUCCESS'];
    const { outcome, states } = await wait(
      image,
      names.map((name) => imageIn(name)),
    );
    expect(states).toEqual(names);
    expect(outcome).toMatchObject({ kind: 'image', record: { value: { status: 'SUCCESS' } } });
  });

  it('is not known at first, and may be in a state UNKNOWN (G9.5.music_task_states)', async () => {
    const none = jsonReply({ code: 'success', message: '', data: null });
    const names = ['QUEUED', 'UNKNOWN', 'SUCCESS'];
    const { outcome, states } = await wait(music, [none, ...names.map(musicIn)]);
    expect(states).toEqual([undefined, ...names]);
    expect(outcome).toMatchObject({ kind: 'music' });
  });

  it.each(['FAILURE', 'CANCEL', 'failure'])(
    'fails with %s and the gateway’s reason (G9.5.task_outcome)',
    async (status) => {
      const { outcome, seen } = await wait(image, [
        imageIn('SUBMITTED'),
        imageIn(status, '0%', 'banned prompt'),
      ]);
      expect(outcome).toMatchObject({
        code: 'model-task-failed',
        message: `the image task 17 ended with ${status}: “banned prompt”`,
      });
      expect(seen).toHaveLength(2);
    },
  );

  it('is polled ever more slowly, and never past the deadline', async () => {
    const { outcome, clock, seen } = await wait(image, [imageIn('IN_PROGRESS', '40%')], 120_000);
    expect(outcome).toMatchObject({
      code: 'model-task-unfinished',
      message: expect.stringMatching(/image task 17 .*120 s; .*IN_PROGRESS$/) as string,
      advice: expect.stringContaining('tollkeeper call image-task --id 17') as string,
    });
    expect(clock.waits.reduce((sum, one) => sum + one, 0)).toBe(120_000);
    expect(clock.waits[0]).toBeLessThanOrEqual(2000);
    expect(Math.max(...clock.waits)).toBeLessThanOrEqual(15_000);
    expect(clock.waits.toSpliced(-1)).toEqual(
      clock.waits.toSpliced(-1).toSorted((left, right) => left - right),
    );
    expect(seen.length).toBeLessThan(20);
  });

  it('survives failures of single requests, and ends at a refusal', async () => {
    const { outcome } = await wait(image, [{ status: 503 }, { status: 429 }, imageIn('SUCCESS')]);
    expect(outcome).toMatchObject({ kind: 'image' });
    expect((await wait(image, [{ status: 401 }])).outcome).toMatchObject({ code: 'model-key-refused' });
    expect((await wait(image, [jsonReply(null)])).outcome).toMatchObject({
      code: 'gateway-answer-unreadable',
    });
  });

  it('stops at an abort', async () => {
    const { deps, key } = await scriptedModels([imageIn('IN_PROGRESS')]);
    const controller = new AbortController();
    const reason = new Error('stopped');
    const waiting = waitForTask(deps, key, image, {
      deadline: 60_000,
      signal: controller.signal,
      onState: () => controller.abort(reason),
    });
    await expect(waiting).rejects.toBe(reason);
  });
});
