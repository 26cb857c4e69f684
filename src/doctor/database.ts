import type { Warehouse } from '../warehouse/index.ts';
import type { DoctorCheck } from './doctor-view.ts';
import { describeSize } from './disk.ts';
import { failed, passed } from './results.ts';

/** Milliseconds: a run has about a hundred statements, one after the other. */
const slow = 5;

/** Connections that one more replica may open. */
const ofReplica = 11;

/** The database file, or the server of several replicas: its size, its connections and how long a statement takes. */
export const checkDatabase = async (
  { server }: Pick<Warehouse, 'server'>,
  path: string,
): Promise<DoctorCheck> => {
  const about = 'database';
  if (server === undefined) return passed(about, `${path} is open`);
  try {
    const { version, size, connections, roundTrip } = await server();
    const { used, most } = connections;
    const message = `PostgreSQL ${version}, ${describeSize(size)}, ${used} of ${most} connections in use, ${roundTrip.toFixed(1)} ms for a statement`;
    const advice = [
      ...(roundTrip < slow
        ? []
        : ['a run has about a hundred statements: run the replicas close to the server']),
      ...(most - used >= ofReplica
        ? []
        : [
            `one more replica opens up to ${ofReplica} connections: raise max_connections, or end other clients`,
          ]),
    ];
    return advice.length === 0
      ? passed(about, message)
      : { about, state: 'warning', message, advice: advice.join('; ') };
  } catch (error) {
    return failed(about, error);
  }
};
