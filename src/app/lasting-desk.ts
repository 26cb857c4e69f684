import type { KeyDesk, KeyJournal, LastingJournal } from '../keys/index.ts';

/** A trouble that was seen is looked for again before anything is asked of keys: somebody may have mended it meanwhile. */
export const recheck = async (journals: LastingJournal): Promise<void> => {
  if (journals.now().trouble() !== undefined) await journals.check();
};

/** A desk on the journal that is open when it is asked; what it does then ends with the journal that it began with. */
export const createLastingDesk = (
  journals: LastingJournal,
  deskOn: (journal: KeyJournal) => KeyDesk,
): KeyDesk => {
  let last: { readonly journal: KeyJournal; readonly desk: KeyDesk } | undefined;
  const deskNow = async (): Promise<KeyDesk> => {
    await recheck(journals);
    const journal = journals.now();
    if (last?.journal !== journal) last = { journal, desk: deskOn(journal) };
    return last.desk;
  };
  /** Of what is under way: nothing is known of it where the journal does not hold, which must not read as nothing there. */
  const deskThatHolds = async (): Promise<KeyDesk> => {
    const desk = await deskNow();
    const trouble = journals.now().trouble();
    if (trouble !== undefined) throw trouble;
    return desk;
  };
  return {
    survey: async (...given) => (await deskNow()).survey(...given),
    open: async () => (await deskNow()).open(),
    start: async (...given) => (await deskNow()).start(...given),
    // What is planned behind it goes by the journal that it found open.
    advance: async (...given) => (await deskThatHolds()).advance(...given),
    heldBySinks: async (...given) => (await deskNow()).heldBySinks(...given),
    expire: async (...given) => (await deskNow()).expire(...given),
    adopt: async (...given) => (await deskNow()).adopt(...given),
    adoptAll: async (...given) => (await deskNow()).adoptAll(...given),
    confirm: async (...given) => (await deskThatHolds()).confirm(...given),
    resume: async (...given) => (await deskThatHolds()).resume(...given),
    giveUp: async (...given) => (await deskThatHolds()).giveUp(...given),
    outdated: async () => (await deskNow()).outdated(),
    reconcile: async (...given) => (await deskThatHolds()).reconcile(...given),
    history: async (...given) => (await deskNow()).history(...given),
  };
};
