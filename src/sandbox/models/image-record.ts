import type { State } from '../state.ts';
import { seedOf } from './files.ts';
import { progressOf } from './stages.ts';
import type { Task } from './task.ts';

export type Button = {
  readonly customId: string;
  readonly emoji: string;
  readonly label: string;
  readonly type: number;
  readonly style: number;
};

const button = (task: Task, action: string, label: string, emoji = ''): Button => ({
  customId: `MJ::JOB::${action}::${task.seed.toString(16)}`,
  emoji,
  label,
  type: 2,
  style: 2,
});

/** The follow-up actions that a finished task offers (docs/gateway.md G11.3). */
export const buttonsOf = (task: Task): readonly Button[] => {
  if (task.action === 'DESCRIBE') return [1, 2, 3, 4].map((at) => button(task, `PicReader::${at}`, `${at}`));
  if (task.action === 'UPSCALE')
    return [button(task, 'variation::1', 'Vary'), button(task, 'zoom::1', 'Zoom out')];
  return [
    ...[1, 2, 3, 4].map((at) => button(task, `upsample::${at}`, `U${at}`)),
    button(task, 'reroll::0', '', '🔄'),
    ...[1, 2, 3, 4].map((at) => button(task, `variation::${at}`, `V${at}`)),
  ];
};

export const actionOf = (customId: string): string => {
  if (customId.includes('upsample')) return 'UPSCALE';
  return customId.includes('reroll') ? 'REROLL' : 'VARIATION';
};

const described = (task: Task): string =>
  [1, 2, 3, 4].map((at) => `${at}. a lighthouse at dusk, picture ${(task.seed % 97) + at}`).join('\n\n');

/** GET /imgjob/task/{id}/fetch (docs/gateway.md G11.2). Times are milliseconds unless the variant says seconds. */
export const imageRecord = (state: State, task: Task, now = state.now()) => {
  const { variants } = state;
  const { done, failed, ...shown } = progressOf(task, state, now, variants.image_task_times);
  const none = variants.image_task_nulls;
  const link = (at: number): string =>
    `${task.origin}/_files/image-${seedOf(`${task.seed}-${at}`)}-${task.width}x${task.height}.png`;
  const prompt = task.action === 'DESCRIBE' && done ? described(task) : task.prompt;
  const singles = task.action === 'UPSCALE' ? [1] : [1, 2, 3, 4];
  const shows = done && task.action !== 'DESCRIBE';
  return {
    id: task.id,
    action: task.action,
    customId: none,
    botType: task.botType === '' ? 'STANDARD_BOT' : task.botType,
    prompt,
    promptEn: prompt,
    description: failed
      ? 'the task failed'
      : done
        ? 'Submit success'
        : `/${task.action.toLowerCase()} ${task.prompt}`,
    state: task.state,
    submitTime: shown.submitted,
    startTime: shown.started,
    finishTime: shown.finished,
    imageUrl: shows ? link(0) : none,
    imageUrls: shows ? singles.map((at) => ({ url: link(at) })) : [],
    imageHeight: shows ? task.height : 0,
    imageWidth: shows ? task.width : 0,
    videoUrl: none,
    videoUrls: null,
    status: shown.status,
    progress: shown.progress,
    failReason: failed
      ? shown.status.toUpperCase() === 'CANCEL'
        ? 'cancelled by the operator'
        : 'banned prompt detected'
      : none,
    buttons: done ? buttonsOf(task) : [],
    properties: {
      notifyHook: task.hook,
      flags: 0,
      messageId: `${task.seed}`,
      messageHash: task.seed.toString(16),
      nonce: `${task.submittedAt}`,
      customId: '',
      finalPrompt: task.prompt,
      progressMessageId: `${task.seed + 1}`,
      messageContent: task.prompt,
      chatInstanceId: '1118138338562560102',
      chatChannelId: '1118138338562560103',
    },
  };
};
