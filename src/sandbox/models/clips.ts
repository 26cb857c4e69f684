import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { imageLink, seedOf, soundLink } from './files.ts';
import { clipIdOf } from './music-record.ts';
import { hasSucceeded, stageOf } from './stages.ts';

export type Clip = { readonly id: string; readonly title: string; readonly createdAt: number };

/** Songs that exist from the start: `clip-one`, `clip-two` and `clip-three`. */
const first = ['one', 'two', 'three'].map((name) => ({ id: `clip-${name}`, title: `Song ${name}` }));

export const clipOf = (state: State, id: string): Clip | undefined => {
  const known = first.find((clip) => clip.id === id);
  if (known !== undefined) return { ...known, createdAt: Date.UTC(2026, 0, 2) };
  for (const task of state.tasks.values())
    if (task.kind === 'music' && clipIdOf(task) === id && hasSucceeded(stageOf(task, state)))
      return { id, title: task.prompt === '' ? 'Untitled' : task.prompt, createdAt: task.submittedAt };
  return undefined;
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

/** A song in the feed (docs/gateway.md G10.5). */
export const feedClip = (request: Request, clip: Clip) => ({
  ...named(request, clip),
  metadata: { duration: 2, prompt: '', stem_from_id: '', tags: 'ambient', type: 'gen' },
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
    tags: 'ambient',
    prompt: '',
    type: 'gen',
    duration: 2,
    refund_credits: false,
    stream: true,
    can_remix: true,
    is_remix: false,
    priority: 0,
  },
});
