/** Folders of exports under way in the spool folder begin so; the warehouse clears those that a crash left. */
export const spoolPrefix = 'export-';
