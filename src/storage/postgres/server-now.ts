/** SQL for the time of the server's clock in milliseconds UTC. The clocks of replicas may differ by minutes. */
export const serverNow = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';
