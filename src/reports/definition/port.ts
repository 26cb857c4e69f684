import type { CubeFacts, CubeRequest, ResultTable } from '../../warehouse/index.ts';

export type { Cell, CubeFacts, CubeRequest, ResultTable } from '../../warehouse/index.ts';

/** What a report needs from the warehouse: queries over the tables `cube` and `days` of the requested periods. */
export type CubeReader = {
  readonly readCube: <T>(
    request: CubeRequest,
    use: (query: (sql: string) => Promise<ResultTable>, facts?: CubeFacts) => Promise<T>,
  ) => Promise<T>;
};
