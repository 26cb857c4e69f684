import { mailFolder } from '../../../src/notify/index.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { unixMillis, type Fault } from '../../../src/core/index.ts';
import type {
  Advanced,
  KeyService,
  KeyEvent,
  PlannedExpiry,
  PlannedRotation,
  RotationView,
  SurveyedKey,
} from '../../../src/keys/index.ts';
import { openJobFixture, type JobFixture, type RunChange } from '../../support/job-fixture.ts';

type FakeState = {
  /** The keys as they are; those of the sandbox where none are given. */
  keys?: readonly SurveyedKey[];
  open: RotationView[];
  history: KeyEvent[];
  /** By service: what its next step comes to. */
  readonly fails: Map<string, Fault>;
  readonly started: PlannedRotation[];
  readonly ended: PlannedExpiry[];
  readonly who: string[];
  /** What was asked of the key service, in order. */
  readonly asked: string[];
  /** Keys whose end does not work. */
  readonly stuck: Set<string>;
};

export type KeyFixture = JobFixture & {
  readonly keyService: FakeState;
  readonly change: RunChange;
  readonly mails: () => Promise<readonly { subject: string; to: string; text: string; html: string }[]>;
};

export const viewOf = (service: string, stage: RotationView['stage'], id = `r-${service}`): RotationView => ({
  id,
  account: 'main',
  service,
  stage,
  since: unixMillis(0),
  message: `waits in ${stage}`,
  tries: 0,
});

const fakeKeyService = (state: FakeState, fixture: JobFixture): KeyService => {
  const never = (): Promise<never> => Promise.reject(new RangeError('no job asks for this'));
  return {
    survey: async (signal) => {
      state.asked.push('survey');
      const at = fixture.clock.now();
      if (state.keys !== undefined) return { at, keys: state.keys };
      const keys = await fixture.gateway.listKeys({ signal });
      return { at, keys: keys.map((key) => ({ key, service: key.name, generation: 1, known: false })) };
    },
    open: () => Promise.resolve(state.open),
    start: (planned, who) => {
      state.asked.push(`start ${planned.map(({ service }) => service).join(' ')}`);
      state.who.push(who);
      state.started.push(...planned);
      const fresh = planned.map(({ service }) => viewOf(service, 'planned'));
      state.open = [...state.open, ...fresh];
      return Promise.resolve(fresh.map(({ id }) => id));
    },
    advance: ({ ids }) => {
      state.asked.push(`advance ${ids === undefined ? 'all' : ids.join(' ')}`);
      const touched = state.open.filter(({ id }) => ids === undefined || ids.includes(id));
      const moved = touched.map((view): Advanced => {
        const fault = state.fails.get(view.service);
        if (view.stage === 'waiting') return { view, moved: false };
        if (fault !== undefined) return { view, moved: false, fault };
        return { view: { ...view, stage: view.stage === 'retiring' ? 'done' : 'current' }, moved: true };
      });
      const after = new Map(moved.map(({ view }) => [view.id, view]));
      state.open = state.open
        .map((view) => after.get(view.id) ?? view)
        .filter(({ stage }) => stage !== 'done');
      return Promise.resolve(moved);
    },
    expire: (planned, who) => {
      state.asked.push(`expire ${planned.map(({ name }) => name).join(' ')}`);
      state.who.push(who);
      state.ended.push(...planned);
      return Promise.resolve(
        planned.map((one) => {
          const done = !state.stuck.has(one.name);
          return {
            account: 'main',
            keyId: one.keyId,
            name: one.name,
            done,
            message: done ? 'done' : 'the gateway refused',
          };
        }),
      );
    },
    history: () => Promise.resolve(state.history),
    keptBySinks: async () => new Map(),
    adopt: never,
    confirm: never,
    resume: never,
    adoptAll: async () => 0,
    giveUp: never,
    forgetPlaces: never,
    awaitRefusal: never,
    unusableSink: async () => undefined,
    releaseUndelivered: async () => undefined,
    outdated: async () => [],
    deadKeys: async () => [],
    inspect: async () => undefined,
    reconcile: never,
  };
};

/** A fixture with a folder for mails, and a key service that writes down what is asked of it. */
export const openKeyFixture = async (name: string): Promise<KeyFixture> => {
  const fixture = await openJobFixture();
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-keys-'));
  const keyService: FakeState = {
    open: [],
    history: [],
    fails: new Map(),
    started: [],
    ended: [],
    who: [],
    asked: [],
    stuck: new Set(),
  };
  return {
    ...fixture,
    keyService,
    change: {
      name,
      keys: async () => Promise.resolve(fakeKeyService(keyService, fixture)),
      mail: { from: 'reports@example.com', mails: mailFolder(folder) },
      costOwners: { teams: [], prices: [], operators: ['ops@example.com'] },
    },
    mails: async () => {
      const rows = await fixture.context.warehouse.outbox.list();
      return Promise.all(
        rows.map(async (row) => {
          const {
            subject = '',
            text = '',
            html,
          } = await simpleParser(await readFile(join(folder, row.file)));
          return { subject, to: row.recipient, text, html: typeof html === 'string' ? html : '' };
        }),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await fixture[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
