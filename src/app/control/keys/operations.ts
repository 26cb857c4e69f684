import { fault } from '../../../core/index.ts';
import type { CommandHandlers } from '../../../control/index.ts';
import { outcomeOf, type KeyFields, type KeyOutcome } from '../../../keys/index.ts';
import { resumeRotation } from './compromise.ts';
import { findKey } from './find.ts';
import type { ReconciledKeys } from './key-views.ts';
import type { KeyWork } from './key-work.ts';
import { quotaOf } from './quota.ts';
import { refuseLeftOut, refuseOverwriting } from './refusals.ts';
import { createRotate } from './rotate.ts';
import { startRotations } from './start-rotations.ts';
import { createExpire, futureMoment } from './expire.ts';

export const createKeyOperations = (lease: () => KeyWork) =>
  ({
    'keys/rotate': createRotate(lease),
    'keys/expire': createExpire(lease),
    'keys/create': async (
      { service, job: named, quota, expires, group, who, account },
      { progress, signal },
    ): Promise<KeyOutcome> => {
      using work = lease();
      const { accounts, planner, zone } = work;
      const job = work.jobNamed(named);
      if (account !== undefined && account !== job.account)
        throw fault('wrong-use', `job ${named} belongs to account ${job.account}`, {
          advice: `omit --account, or specify a job of ${account}`,
        });
      const terms = planner.termsOf(named);
      const problem = planner.nameProblem(named, service);
      if (problem !== undefined)
        throw fault('wrong-use', `${service} is not a valid service name: ${problem}`, {
          advice: 'choose a short name of letters, digits and hyphens',
        });
      const fresh: KeyFields = {
        ...quotaOf(quota),
        expiredTime: expires === undefined ? 'never' : futureMoment(expires, zone, work.now()),
        group: group ?? '',
      };
      const run = { progress, signal };
      const open = await accounts.openOf(service, job.account);
      if (open !== undefined) return await resumeRotation(work, open, run);
      const keys = await accounts.keysOf(job.account, signal);
      const there = keys.filter((key) => key.service === service && key.retained === undefined);
      if (there.length > 0)
        throw fault('wrong-use', `${service} has ${there.map(({ key }) => key.name).join(', ')} already`, {
          advice: `\`tollkeeper keys rotate ${service}\` replaces it`,
        });
      refuseLeftOut(work, job, service, group ?? '');
      refuseOverwriting(work, job, service, keys);
      const keyService = await work.keyService(job.account);
      const started = await startRotations(keyService, [{ service, why: 'new', terms, fresh }], who);
      const advanced = await keyService.advance({ ...run, ids: started.ids, untilIdle: true });
      return outcomeOf({ ...started, advanced });
    },
    'keys/adopt': async (
      { key: named, service, generation, who, account, move = false },
      { signal },
    ): Promise<{ readonly message: string }> => {
      using work = lease();
      const found = findKey(named, await work.accounts.allKeys(account, signal), work.now());
      const placed = { keyId: found.key.id, service, generation, move };
      const keyService = await work.keyService(found.account);
      await keyService.adopt(placed, who, signal);
      return { message: `${found.key.name} (id ${found.key.id}) is generation ${generation} of ${service}` };
    },
    'keys/confirm': async ({ service, fingerprint, who, account }): Promise<{ readonly message: string }> => {
      using work = lease();
      const keyService = await work.keyService(await work.accounts.ofService(service, account));
      return { message: await keyService.confirm(service, fingerprint, who) };
    },
    'keys/resume': async ({ service, who, account }, { progress, signal }): Promise<KeyOutcome> => {
      using work = lease();
      const { accounts } = work;
      const name = await accounts.ofService(service, account);
      const keyService = await work.keyService(name);
      const message = await keyService.resume(service, who);
      const open = await accounts.openOf(service, name);
      const ids = open === undefined ? [] : [open.view.id];
      const advanced = await keyService.advance({ progress, signal, ids, untilIdle: true });
      return outcomeOf({ advanced, notes: [message] });
    },
    'keys/reconcile': async ({ service, who, account, apply }, { signal }): Promise<ReconciledKeys> => {
      using work = lease();
      const found: ReconciledKeys[number][] = [];
      let isKnown = service === undefined;
      for (const name of work.accounts.named(account)) {
        const options = { apply, service };
        const keyService = await work.keyService(name);
        const reconciled = await keyService.reconcile(options, who, signal);
        found.push(...reconciled.map((one) => ({ account: name, ...one })));
        isKnown ||= (await keyService.history(service)).length > 0;
      }
      if (!isKnown)
        throw fault('wrong-use', `the journal has no step of service ${service ?? ''}`, {
          advice: '`tollkeeper keys list` shows the services',
        });
      return found;
    },
    'keys/give-up': async (
      { service, who, account, forgetPlaces = false },
      { signal },
    ): Promise<{ readonly message: string }> => {
      using work = lease();
      const keyService = await work.keyService(await work.accounts.ofService(service, account));
      if (forgetPlaces) return { message: await keyService.forgetPlaces(service, who, signal) };
      return { message: await keyService.giveUp(service, who) };
    },
  }) satisfies Partial<CommandHandlers>;
