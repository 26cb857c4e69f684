import type { KeyService, KeyJournal, ReopenableJournal } from '../../keys/index.ts';

/** A trouble that was seen is looked for again before anything is asked of keys: somebody may have fixed it meanwhile. */
export const recheck = async (journals: ReopenableJournal): Promise<void> => {
  if (journals.now().problem() !== undefined) await journals.check();
};

/** A key service on the journal that is open when it is called; what it does then ends with the journal that it began with. */
export const createReopenableKeyService = (
  journals: ReopenableJournal,
  keyServiceOn: (journal: KeyJournal) => KeyService,
): KeyService => {
  let last: { readonly journal: KeyJournal; readonly keyService: KeyService } | undefined;
  const keyServiceNow = async (): Promise<KeyService> => {
    await recheck(journals);
    const journal = journals.now();
    if (last?.journal !== journal) last = { journal, keyService: keyServiceOn(journal) };
    return last.keyService;
  };
  /** Of what is under way: nothing is known of it where the journal does not hold, which must not read as nothing there. */
  const keyServiceThatHolds = async (): Promise<KeyService> => {
    const keyService = await keyServiceNow();
    const problem = journals.now().problem();
    if (problem !== undefined) throw problem;
    return keyService;
  };
  return {
    survey: async (...given) => (await keyServiceNow()).survey(...given),
    open: async () => (await keyServiceNow()).open(),
    start: async (...given) => (await keyServiceNow()).start(...given),
    // What is planned behind it goes by the journal that it found open.
    advance: async (...given) => (await keyServiceThatHolds()).advance(...given),
    keptBySinks: async (...given) => (await keyServiceNow()).keptBySinks(...given),
    expire: async (...given) => (await keyServiceNow()).expire(...given),
    adopt: async (...given) => (await keyServiceNow()).adopt(...given),
    adoptAll: async (...given) => (await keyServiceNow()).adoptAll(...given),
    confirm: async (...given) => (await keyServiceThatHolds()).confirm(...given),
    resume: async (...given) => (await keyServiceThatHolds()).resume(...given),
    giveUp: async (...given) => (await keyServiceThatHolds()).giveUp(...given),
    outdated: async () => (await keyServiceNow()).outdated(),
    reconcile: async (...given) => (await keyServiceThatHolds()).reconcile(...given),
    history: async (...given) => (await keyServiceNow()).history(...given),
  };
};
