import { countText, fault } from '../core/index.ts';
import { formatConfigFault, type Config, type Loaded } from '../config/index.ts';

/** The config, or the fault that lists all of its faults. @throws Fault `config-invalid` */
export const goodConfig = ({ config, faults }: Loaded): Config => {
  if (config !== undefined) return config;
  throw fault(
    'config-invalid',
    `the config has ${countText(faults.length, 'fault')}\n${faults.map(formatConfigFault).join('\n')}`,
  );
};

/** The database file, which may be known although other things are at fault. @throws Fault `config-invalid` */
export const databaseOf = (loaded: Loaded): string =>
  loaded.warehousePath ?? goodConfig(loaded).settings.warehouse.path;
