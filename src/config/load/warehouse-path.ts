import { join } from 'node:path';
import { parseYaml } from '../../core/index.ts';
import { warehousePath } from '../schema/settings-schema.ts';
import { valueAt } from '../schema/schema-walk.ts';
import { configDisk } from './disk.ts';

/**
 * The database path in tollkeeper.yaml, or the default, without reading the rest of the config. Undefined when the file
 * is unreadable, or the path contains a reference.
 */
export const readWarehousePath = async (folder: string): Promise<string | undefined> => {
  const written = await configDisk.readFile(join(folder, 'tollkeeper.yaml')).catch(() => undefined);
  if (written === undefined) return undefined;
  const { value, faults } = await parseYaml(written);
  const section = faults.length > 0 ? undefined : valueAt(value, ['warehouse']);
  if (faults.length > 0 || (section !== undefined && section !== null && typeof section !== 'object'))
    return undefined;
  const path = valueAt(section ?? {}, ['path']);
  if (typeof path === 'string' && path.includes('${')) return undefined;
  const parsed = warehousePath.safeParse(path);
  return parsed.success ? parsed.data : undefined;
};
