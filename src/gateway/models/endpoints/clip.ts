import { each, flag, object, text, whole } from '../fields.ts';

/** docs/gateway.md G10.5 */
export const feedClip = object({
  ...each(
    text,
    'audio_url',
    'avatar_image_url',
    'created_at',
    'display_name',
    'handle',
    'id',
    'image_large_url',
    'image_url',
    'major_model_version',
    'model_name',
    'status',
    'title',
    'video_url',
  ),
  ...each(flag, 'is_handle_updated', 'is_liked', 'is_public', 'is_trashed'),
  ...each(whole, 'play_count', 'upvote_count'),
  metadata: object({ duration: whole, ...each(text, 'prompt', 'stem_from_id', 'tags', 'type') }),
});

/** docs/gateway.md G10.3 */
export const personaClip = object({
  ...each(
    text,
    'id',
    'entity_type',
    'video_url',
    'audio_url',
    'image_url',
    'image_large_url',
    'major_model_version',
    'model_name',
    'user_id',
    'display_name',
    'handle',
    'avatar_image_url',
    'display_tags',
    'created_at',
    'status',
    'title',
  ),
  ...each(flag, 'is_liked', 'is_handle_updated', 'is_trashed', 'is_public', 'allow_comments'),
  ...each(whole, 'flag_count', 'play_count', 'upvote_count'),
  metadata: object({
    ...each(text, 'tags', 'prompt', 'type'),
    ...each(whole, 'duration', 'priority'),
    ...each(flag, 'refund_credits', 'stream', 'can_remix', 'is_remix'),
  }),
});
