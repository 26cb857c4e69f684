/** The columns that a query reads, by the tables it names. */
export type Needs = ReadonlyMap<string, ReadonlySet<string>>;
