import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { imageLink, seedOf, soundLink } from './files.ts';
import { progressOf } from './stages.ts';
import type { Task } from './task.ts';

export type Clip = { readonly id: string; readonly title: string; readonly createdAt: number };

/** Songs that exist from the start: `clip-one`, `clip-two` and `clip-three`. */
const first = ['one', 'two', 'three'].map((name) => ({
  id: `clip-${name}`,
  title: `Song ${name}`,
  createdAt: Date.UTC(2026, 0, 2),
}));

const clipIdOf = ({ seed }: Task): string => `clip-${seed}`;
const titleOf = ({ prompt }: Task): string => (prompt === '' ? 'Untitled' : prompt);

export const clipOf = (state: State, id: string): Clip | undefined => {
  const known = first.find((clip) => clip.id === id);
  if (known !== undefined) return known;
  for (const task of state.tasks.values())
    if (task.kind === 'music' && clipIdOf(task) === id && progressOf(task, state).done)
      return { id, title: titleOf(task), createdAt: task.submittedAt };
  return undefined;
};

/** GET /music/fetch/{task_id} (docs/gateway.md G10.6). Times are seconds unless the variant says milliseconds. */
export const musicRecord = (state: State, task: Task, now = state.now()) => {
  const { variants } = state;
  const { done, ...shown } = progressOf(task, state, now, variants.music_task_times);
  const success = { code: 'success', message: '' } as const;
  if (variants.music_task_data === 'null-at-first' && shown.status === 'NOT_START')
    return { ...success, data: null };
  return {
    ...success,
    data: {
      task_id: task.id,
      notify_hook: task.hook,
      action: task.action,
      status: shown.status,
      fail_reason: shown.failed ? 'the audio could not be read' : '',
      submit_time: shown.submitted,
      start_time: shown.started,
      finish_time: shown.finished,
      progress: shown.progress,
      data: done
        ? { id: clipIdOf(task), text: '', title: titleOf(task), status: 'complete' }
        : { id: '', text: '', title: '', status: '' },
    },
  };
};

const named = (request: Request, clip: Clip) => ({
  id: clip.id,
  video_url: '',
  audio_url: soundLink(request, seedOf(clip.id)),
  image_url: imageLink(request, seedOf(clip.id), 256, 256),
  image_large_url: imageLink(request, seedOf(clip.id), 1024, 1024),
  major_model_version: 'v4',
  model_name: 'music-v4',
  display_name: 'Sandbox',
  handle: 'sandbox',
  avatar_image_url: imageLink(request, 7, 64, 64),
  created_at: new Date(clip.createdAt).toISOString(),
  status: 'complete',
  title: clip.title,
  is_liked: false,
  is_handle_updated: false,
  is_trashed: false,
  is_public: false,
  play_count: 0,
  upvote_count: 0,
});

const metadata = { duration: 2, prompt: '', tags: 'ambient', type: 'gen' } as const;

/** A song in the feed (docs/gateway.md G10.5). */
export const feedClip = (request: Request, clip: Clip) => ({
  ...named(request, clip),
  metadata: { ...metadata, stem_from_id: '' },
});

/** A song within a persona (docs/gateway.md G10.3). */
export const personaClip = (request: Request, clip: Clip) => ({
  ...named(request, clip),
  entity_type: 'song_schema',
  user_id: 'user-1',
  display_tags: 'ambient',
  allow_comments: true,
  flag_count: 0,
  metadata: {
    ...metadata,
    refund_credits: false,
    stream: true,
    can_remix: true,
    is_remix: false,
    priority: 0,
  },
});
