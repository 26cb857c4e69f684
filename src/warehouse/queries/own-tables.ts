import { loadDuckDB, connectionOf } from '../../storage/index.ts';

/** An engine without access to files, extensions or another configuration. */
export const openOwnEngine = async (
  path: string,
  { memoryLimit, threads }: { readonly memoryLimit: string; readonly threads: number },
  access: 'READ_ONLY' | 'READ_WRITE' = 'READ_WRITE',
) => {
  const { DuckDBInstance } = loadDuckDB();
  const instance = await DuckDBInstance.create(path, {
    access_mode: access,
    memory_limit: memoryLimit,
    threads: String(threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // SQL could access a temp folder; the engine is small enough to work without one.
    temp_directory: '',
  });
  const connection = connectionOf(await instance.connect());
  await connection.execute('SET enable_external_access = false');
  await connection.execute('SET lock_configuration = true');
  return { instance, connection };
};
