import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';
import { openFolder, type Folder, type Ran } from '../../support/program.ts';
import { objectsOf, type Manifest, type Objects } from './manifest.ts';

type PodSpec = NonNullable<PodTemplateSpec['spec']>;
type Container = PodSpec['containers'][number];
export type Labels = Readonly<Record<string, string>>;

/** The one pod of the manifest and its one container. */
export const podOf = ({
  deployments,
}: Objects): { readonly labels: Labels; readonly spec: PodSpec; readonly container: Container } => {
  const [deployment, ...more] = deployments;
  const template = deployment?.spec?.template;
  const [container, ...others] = template?.spec?.containers ?? [];
  if (template?.spec === undefined || container === undefined || more.length + others.length > 0)
    throw new Error('the manifest has not exactly one Deployment with one container');
  return { labels: template.metadata?.labels ?? {}, spec: template.spec, container };
};

/** Writes the files that the container sees into the folder, with the symbolic links of the kubelet. */
const mountFiles = async (folder: Folder, objects: Objects): Promise<void> => {
  const { spec, container } = podOf(objects);
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = spec.volumes?.find((volume) => volume.name === name);
    const configMap = objects.configMaps.find(({ metadata }) => metadata?.name === volume?.configMap?.name);
    const secret = objects.secrets.find(({ metadata }) => metadata?.name === volume?.secret?.secretName);
    const data = { ...configMap?.data, ...secret?.stringData };
    const target = join(folder.path, mountPath);
    for (const [key, text] of Object.entries(data)) {
      // Secrets lie in the folder of the test instead of the root.
      const moved = text.replaceAll('${file:/', `\${file:${folder.path}/`);
      await folder.write(join(mountPath, '..2026_11_26', key), moved);
      await symlink(`..data/${key}`, join(target, key));
    }
    if (Object.keys(data).length > 0) await symlink('..2026_11_26', join(target, '..data'));
  }
};

/** Runs `check` in a folder with the files and the memory limit of the container. */
export const checkInPod = async (manifest: Manifest): Promise<Ran> => {
  const objects = objectsOf(manifest);
  const [, gigabytes] =
    /^([\d.]+)Gi$/.exec(String(podOf(objects).container.resources?.limits?.['memory'])) ?? [];
  await using root = await openFolder();
  await mountFiles(root, objects);
  await root.write('proc/self/cgroup', '0::/\n');
  await root.write('sys/fs/cgroup/memory.max', `${Number(gigabytes) * 2 ** 30}\n`);
  return await root.run(['check', '--config', join(root.path, 'config')], { systemRoot: root.path });
};
