import { countText } from '../../core/index.ts';
import {
  type Advanced,
  type KeyService,
  type RotationPlan,
  type SurveyedKey,
  isSelected,
  needsAttention,
  planRotations,
  withUsableSinks,
} from '../../keys/index.ts';
import { localeOf } from '../../messages/index.ts';
import { defineJobKind, type JobContext, type JobOutcome } from '../job-kind.ts';
import { rotateFaults } from './rotate-rules.ts';
import { keyServiceOf, failureOf, advanceRotations, whoOf } from '../keys/key-runs.ts';
import { keyPlan, planLines, type KeyPlan } from '../keys/key-plan.ts';
import { noCostOwners } from '../cost-owners.ts';
import { notifyOfBlocked } from './blocked-notice.ts';
import { mailPlan } from '../keys/plan-mail.ts';
import { rotateShape, rotationPolicy, type RotateSettings } from './rotate-shape.ts';

/** Calls `adopt` with the keys that the job covers before it plans. */
const planOf = async (
  keyService: KeyService,
  settings: RotateSettings,
  context: JobContext,
  adopt?: (keys: readonly SurveyedKey[]) => Promise<unknown>,
): Promise<RotationPlan> => {
  context.progress({ step: 'reading the keys' });
  const { teams } = context.costOwners ?? noCostOwners;
  const survey = await keyService.survey(context.signal);
  await adopt?.(survey.keys.filter((key) => isSelected(key, settings.keys, { teams, now: survey.at })));
  const plan = planRotations(survey, rotationPolicy(context, settings), teams);
  return withUsableSinks(plan, keyService, context.signal);
};

const summaryOf = ({ rotations, skipped }: RotationPlan): KeyPlan =>
  keyPlan(
    { rotate: rotations.length },
    rotations.map(({ planned: { service, old, why, terms }, age }) => ({
      name: old?.name ?? service,
      service,
      facts: { kind: 'rotate', service, isSplit: why === 'split', terms },
      age,
    })),
    skipped,
  );

const figuresOf = (plan: RotationPlan) => ({
  selected: plan.selected,
  planned: plan.rotations.length,
  skipped: plan.skipped.filter(needsAttention).length,
});

const planned = async (settings: RotateSettings, context: JobContext): Promise<JobOutcome> => {
  const plan = await planOf(await keyServiceOf(context), settings, context);
  const summary = summaryOf(plan);
  const { notified, mailed } = await mailPlan(summary, settings.mail?.to, context);
  return {
    summary: `${localeOf('en').plans.title(summary.counts)} of ${countText(plan.selected, 'service')}${mailed}`,
    figures: { mode: 'plan', ...figuresOf(plan), notified },
  };
};

const isOver = ({ view }: Advanced): boolean => view.stage === 'done';
const namesOf = (advanced: readonly Advanced[]): string =>
  advanced.map(({ view }) => view.service).join(', ');

const some = (many: readonly Advanced[], message: string): string[] =>
  many.length === 0 ? [] : [`${countText(many.length, 'rotation')} ${message} (${namesOf(many)})`];

/** Advances open rotations first, so that a job without a daemon completes them, then starts those that are due. */
const applied = async (settings: RotateSettings, context: JobContext): Promise<JobOutcome> => {
  const keyService = await keyServiceOf(context);
  context.progress({ step: 'advancing open rotations' });
  // Runs without open rotations, too: it cleans up after an earlier run.
  const moved = await advanceRotations(keyService, undefined, context);
  // Adopts the covered keys into the lines of their services.
  const plan = await planOf(keyService, settings, context, (keys) =>
    keyService.adoptAll(keys, whoOf(context)),
  );
  const ids =
    plan.rotations.length === 0
      ? []
      : await keyService.start(
          plan.rotations.map((rotation) => rotation.planned),
          whoOf(context),
        );
  context.progress({ step: 'rotating keys', total: ids.length });
  const begun = ids.length === 0 ? [] : await advanceRotations(keyService, ids, context);
  const outdated = await keyService.outdated();
  const waiting = (await keyService.open()).filter(({ stage }) => stage === 'waiting');
  const all = [...moved, ...begun];
  const unusable = plan.skipped.filter(({ reason }) => reason === 'sink-unusable');
  const failed = failureOf([
    ...all.flatMap(({ view, fault: wrong }) =>
      wrong === undefined
        ? []
        : [{ service: view.service, code: wrong.code, message: wrong.message, advice: wrong.advice }],
    ),
    ...unusable.map(({ service, message }) => ({
      service,
      code: 'sink-refused' as const,
      message,
      advice: 'fix the sink; the next run of the job rotates the key',
    })),
  ]);
  if (failed !== undefined) throw failed;
  await notifyOfBlocked(plan.skipped, context);
  const skipped = plan.skipped.filter(needsAttention);
  const parts = [
    ...some(begun, 'begun'),
    ...some(
      moved.filter((one) => !isOver(one) && one.view.stage !== 'waiting'),
      'in progress',
    ),
    ...some(all.filter(isOver), 'done'),
    ...(waiting.length === 0
      ? []
      : [
          `${countText(waiting.length, 'rotation')} paused, action required (${waiting.map(({ service }) => service).join(', ')})`,
        ]),
    ...(outdated.length === 0
      ? []
      : [
          `key operations suspended for ${countText(outdated.length, 'service')} with an outdated journal (${outdated.map(({ service }) => service).join(', ')})`,
        ]),
    ...(skipped.length === 0
      ? []
      : [
          `${countText(skipped.length, 'key')} skipped: ${skipped
            .slice(0, 3)
            .map(({ name, message }) => `${name}, ${message}`)
            .join('; ')}${skipped.length > 3 ? ' …' : ''}`,
        ]),
  ];
  return {
    summary: parts.join('; ') || `nothing to rotate of ${countText(plan.selected, 'service')}`,
    figures: {
      mode: 'apply',
      ...figuresOf(plan),
      begun: begun.length,
      moved: moved.filter((one) => one.moved).length,
      done: all.filter(isOver).length,
      waiting: waiting.length,
    },
  };
};

/** Replaces keys of services at their maximum age, and advances open rotations. */
export const rotateKeysKind = defineJobKind({
  kind: 'rotate-keys',
  onlyForbid: true,
  description:
    'Replaces the keys of services at a given age: creates and delivers the new key, and retires the old one once it is idle.',
  shape: rotateShape,
  faults: rotateFaults,
  run: async (settings, context) => {
    if (context.trigger === 'backfill')
      return { summary: 'nothing to do: keys cannot be rotated in the past', figures: {} };
    return settings.mode === 'apply' ? applied(settings, context) : planned(settings, context);
  },
  plan: async (settings, context) => {
    if (context.trigger === 'backfill') return ['nothing: keys cannot be rotated in the past'];
    const keyService = await keyServiceOf(context);
    const open = settings.mode === 'apply' ? await keyService.open() : [];
    const plan = await planOf(keyService, settings, context);
    return planLines(
      summaryOf(plan),
      context.zone,
      open.map(({ service, message }) => `continue the rotation of ${service}: ${message}`),
    );
  },
});
