export type Point = { readonly x: number; readonly y: number };

type Box = Point & { readonly width: number; readonly height: number };

/** What a chart is drawn of, in order: for SVG, and for pages of paper. */
export type ChartShape =
  | {
      readonly kind: 'grid';
      readonly from: number;
      readonly to: number;
      readonly y: number;
      readonly isZero: boolean;
    }
  | ({ readonly kind: 'bar'; readonly colour: string } & Box)
  /** A day without data. */
  | ({ readonly kind: 'missing' } & Box)
  | { readonly kind: 'line'; readonly colour: string; readonly points: readonly Point[] }
  /** A range over several days: its corners. */
  | { readonly kind: 'area'; readonly colour: string; readonly points: readonly Point[] }
  | ({ readonly kind: 'dot'; readonly colour: string } & Point)
  | ({
      readonly kind: 'text';
      readonly anchor: 'start' | 'middle' | 'end';
      readonly text: string;
      readonly isBold: boolean;
    } & Point);

/** The size of a chart, and of the labels in it. */
export type ChartSize = { readonly width: number; readonly height: number; readonly label: number };

/** In a mail. */
export const mailChart: ChartSize = { width: 480, height: 166, label: 14 };
