import { text, type Sql } from '../../storage/index.ts';

/** The services of an account's keys, by key name. */
export type Services = ReadonlyMap<string, string>;

/** The service of a name; a name that is in no lineage is its own service. */
export type ServiceOf = (name: string) => string;

/** Calls contain only the name of their key: a name that keys of two services had remains its own service. */
export const readServices = async (connection: Sql, account: string): Promise<Services> => {
  const rows = await connection.rows(
    `SELECT name, min(service) AS service FROM key_lineage WHERE account = $account
     GROUP BY name HAVING count(DISTINCT service) = 1`,
    { account },
  );
  return new Map(rows.map((row) => [text(row, 'name'), text(row, 'service')]));
};

export const serviceIn =
  (services: Services): ServiceOf =>
  (name) =>
    services.get(name) ?? name;
