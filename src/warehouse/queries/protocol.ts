import type { BoundQuery } from '../cube/bound-query.ts';
import type { Needs } from '../cube/needs.ts';
import type { ResultTable } from '../cube/result-table.ts';

/** What the query process is asked, and what it returns. */
export type Questions = {
  readonly bind: { readonly input: { readonly sql: string }; readonly output: BoundQuery };
  readonly needs: { readonly input: { readonly sql: string }; readonly output: Needs };
  readonly run: {
    readonly input: {
      /** A database, which is opened read-only and stays open until the next `close`. */
      readonly file: string;
      readonly memoryLimit: string;
      readonly threads: number;
      readonly views: readonly string[];
      readonly sql: string;
      readonly rowLimit: number;
    };
    readonly output: ResultTable;
  };
  /** Closes the file: no process can write a database that another one has open. */
  readonly close: { readonly input: null; readonly output: null };
};

export type Question = keyof Questions;

export type QueryRequest<Q extends Question = Question> = {
  [Name in Q]: { readonly question: Name; readonly input: Questions[Name]['input'] };
}[Q];

export type QueryReply =
  | { readonly value: Questions[Question]['output']; readonly failure?: undefined }
  | { readonly failure: string };
