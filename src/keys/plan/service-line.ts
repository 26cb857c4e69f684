import type { KeySurvey, SurveyedKey } from '../service-types.ts';

const lines = new WeakMap<KeySurvey, ReadonlyMap<string, readonly SurveyedKey[]>>();

/** The keys of each service, the newest generation first; worked out once a survey, since it is asked for each key. */
export const linesOf = (survey: KeySurvey): ReadonlyMap<string, readonly SurveyedKey[]> => {
  const known = lines.get(survey);
  if (known !== undefined) return known;
  const found = new Map<string, SurveyedKey[]>();
  for (const key of survey.keys) {
    const line = found.get(key.service);
    if (line === undefined) found.set(key.service, [key]);
    else line.push(key);
  }
  for (const line of found.values())
    line.sort((left, right) => right.generation - left.generation || left.key.id - right.key.id);
  lines.set(survey, found);
  return found;
};
