import type { CubeFacts, CubeRequest, ResultTable } from '../../warehouse/index.ts';

export type { Cell, CubeFacts, CubeRequest, ResultTable } from '../../warehouse/index.ts';

/** What a report needs of the warehouse: queries that see the tables `cube` and `days` of the periods asked for. */
export type CubeReader = {
  readonly readCube: <T>(
    request: CubeRequest,
    use: (query: (sql: string) => Promise<ResultTable>, facts?: CubeFacts) => Promise<T>,
  ) => Promise<T>;
};
