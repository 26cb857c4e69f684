// Prints the options of `docker run` and `podman run` that a service of a Compose file stands for, one a line. Named volumes become
// volumes of the container. A key that it does not know is an error: what Compose would do must not be lost here.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

const [file, name] = process.argv.slice(2);
const { services, secrets = {}, volumes = {} } = parse(readFileSync(file, 'utf8'));
const beside = (path) => resolve(dirname(file), path);

/** `SOURCE:TARGET[:ro]`, where the source is a folder beside the file or a named volume. */
const volume = (text) => {
  const [source, ...target] = text.split(':');
  if (source.startsWith('.')) return [beside(source), ...target].join(':');
  if (!(source in volumes)) throw new Error(`volume ${source} is not declared`);
  return target.join(':');
};

const secretMount = (secret) => {
  if (secrets[secret]?.file === undefined) throw new Error(`secret ${secret} is not declared with a file`);
  return `${beside(secrets[secret].file)}:/run/secrets/${secret}:ro`;
};

const optionsOf = {
  image: () => [],
  restart: () => [],
  // The engine of the checks has no control groups: image.sh shows the limit to the program as a file.
  mem_limit: () => [],
  stop_grace_period: (text) => ['--stop-timeout', text.replace(/s$/, '')],
  environment: (variables) =>
    Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
  secrets: (names) => names.flatMap((secret) => ['--volume', secretMount(secret)]),
  user: (user) => ['--user', user],
  read_only: (isReadOnly) => (isReadOnly ? ['--read-only'] : []),
  tmpfs: (paths) => paths.flatMap((path) => ['--tmpfs', path]),
  cap_drop: (names) => names.flatMap((capability) => ['--cap-drop', capability]),
  security_opt: (options) => options.flatMap((option) => ['--security-opt', option]),
  volumes: (mounts) => mounts.flatMap((mount) => ['--volume', volume(mount)]),
};

const options = Object.entries(services[name]).flatMap(([key, value]) => {
  if (!(key in optionsOf)) throw new Error(`services.${name}.${key} is not known`);
  return optionsOf[key](value);
});
process.stdout.write(`${options.join('\n')}\n`);
