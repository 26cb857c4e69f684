import { inTransaction, text, wholeNumber, type StateEngine } from '../storage/index.ts';

/** The colour of each series in an account's charts, as a number from 0; the same in every report. */
export type SeriesColours = {
  /** Returns the colours of these names; new names get the next free numbers, in the given order. */
  readonly assign: (account: string, names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
};

/** `isReader`: new names are not stored, and may have other numbers the next time. */
export const createSeriesColours = (engine: StateEngine, isReader: boolean): SeriesColours => ({
  assign: async (account, names) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        const rows = await connection.rows(
          'SELECT name, colour FROM series_colour WHERE account = $account ORDER BY colour',
          { account },
        );
        const colours = new Map(rows.map((row) => [text(row, 'name'), wholeNumber(row, 'colour')]));
        for (const name of new Set(names)) {
          if (colours.has(name)) continue;
          const colour = colours.size;
          if (!isReader)
            await connection.execute(
              'INSERT INTO series_colour (account, name, colour) VALUES ($account, $name, $colour)',
              { account, name, colour },
            );
          colours.set(name, colour);
        }
        return new Map([...colours].filter(([name]) => names.includes(name)));
      }),
    ),
});
