/** Prefix of the folders of running exports in the spool folder; the warehouse deletes those left by a crash. */
export const spoolPrefix = 'export-';
