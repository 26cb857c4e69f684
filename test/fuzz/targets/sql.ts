import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../src/core/index.ts';
import { checkSql } from '../../../src/reports/definition/sql-check.ts';
import { factsOf } from '../../../src/reports/sql/facts.ts';
import { openQueries } from '../../../src/warehouse/index.ts';
import type { Target } from '../target.ts';

/** The SQL of a report, as `check` reads and plans it. */
export const sql: Target = {
  grammar: {
    token: /'(?:[^']|'')*'|"[^"]*"|\w+|\s+|--[^\n]*\n|[^]/g,
    words: [
      'SELECT ',
      ' FROM cube',
      ' WHERE ',
      ' GROUP BY ALL',
      ' UNION ALL ',
      ' WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) ',
      'sum(spend)',
      'range(2000000000)',
      'len(range(1000000000))',
      "repeat('x', 1000000000)",
      'unnest(generate_series(1, 2e9))',
      "levenshtein(repeat('a', 9999), repeat('b', 9999))",
      'enable_logging()',
      "query('SELECT 1')",
      ' CROSS JOIN calls ',
      '/*',
      '*/',
      '--',
      ';',
      "'",
      '"',
      '$$',
      '$a$',
      '?',
      '$1',
      ' OVER (PARTITION BY model_name) ',
      'CAST(1 AS DECIMAL(38,12))',
      "read_csv('/etc/passwd')",
      'PIVOT cube ON kind',
      "e'\\\\'",
      'é',
      ' LIMIT 1 ',
      ' ORDER BY ',
      'CASE WHEN ',
      ' THEN 1 END ',
      ' IN (',
      'x -> x + 1',
      '[1, 2]',
      "{'a': 1}",
      'period',
      "= 'current'",
    ],
    brackets: [
      ['(', ')'],
      ['(SELECT ', ')'],
      ['[', ']'],
      ["'", "'"],
      ['/*', '*/'],
      ['NOT ', ''],
    ],
  },
  seeds: [
    "SELECT model_name, sum(calls) AS calls, sum(spend) AS spend FROM cube WHERE period = 'current' AND kind IN ('consumption', 'refund') GROUP BY 1 ORDER BY spend DESC, 1",
    "WITH days AS (SELECT day, sum(spend) AS spend FROM cube WHERE period = 'current' GROUP BY ALL) SELECT *, spend / nullif((SELECT sum(spend) FROM days), 0) AS share FROM days LIMIT 7",
    'SELECT count(*) FROM calls JOIN days USING (period)',
  ],
  open: async () => {
    const start = () =>
      fork(fileURLToPath(new URL('../../../src/query-process.js', import.meta.url)), {
        env: { TZ: 'UTC' },
        execArgv: [],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
    const queries = await openQueries(start, systemClock);
    return {
      run: async (text) => {
        const faults = checkSql(text);
        for (const { line, column } of faults)
          if (line < 1 || column < 1) throw new RangeError('a fault outside of the text');
        if (faults.length > 0) return;
        const bound = await queries.bind(text);
        if (bound.fault === undefined) factsOf(bound.tree);
      },
      [Symbol.asyncDispose]: async () => queries[Symbol.asyncDispose](),
    };
  },
};
