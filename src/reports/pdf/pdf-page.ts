import type PDFDocument from 'pdfkit';

/** A PDF that is being written. */
export type PdfFile = InstanceType<typeof PDFDocument>;

/** A4, in points. */
export const pageSize = { width: 595.28, height: 841.89, margin: 48, footer: 34 } as const;

export const contentWidth = pageSize.width - 2 * pageSize.margin;

/** The place where the next part of a report is drawn. */
export type Cursor = {
  readonly y: () => number;
  readonly move: (by: number) => void;
  /** Begins a page if less than this height is left. Returns whether it did. */
  readonly need: (height: number) => boolean;
};

const top = pageSize.margin;
const bottom = pageSize.height - pageSize.margin - pageSize.footer;

export const createCursor = (document: PdfFile): Cursor => {
  let at = top as number;
  return {
    y: () => at,
    move: (by) => {
      at += by;
    },
    need: (height) => {
      if (at + height <= bottom || at === top) return false;
      document.addPage();
      at = top;
      return true;
    },
  };
};
