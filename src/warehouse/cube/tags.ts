import { tagNames, type TagName } from '../../core/index.ts';
import { closest, rememberedByRules } from '../tokens/match-rule.ts';

/** The tags of keys whose name or service matches the pattern; `*` matches anything. */
export type TagRule = {
  readonly pattern: string;
  readonly tags: Readonly<Partial<Record<TagName, string | undefined>>>;
};

/** Null where a key is untagged. */
export type Tags = Readonly<Record<TagName, string | null>>;

/** For each tag by itself, the most specific matching pattern that gives it applies; of equal ones the first. */
export const tagsOf = rememberedByRules((key, service, rules: readonly TagRule[]): Tags => {
  const valueOf = (name: TagName): string | null => {
    const giving = rules.filter(({ tags }) => tags[name] !== undefined);
    return closest(giving, [key, service])?.tags[name] ?? null;
  };
  return Object.fromEntries(tagNames.map((name) => [name, valueOf(name)])) as Record<TagName, string | null>;
});
