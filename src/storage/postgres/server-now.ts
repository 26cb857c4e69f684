/** Of PostgreSQL's clock, milliseconds UTC: the clocks of replicas may differ by minutes. */
export const serverNow = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';
