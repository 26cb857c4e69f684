# A part of image.sh: Podman without a registry, without systemd and without cgroups, for root on Debian. The base images
# are made from Debian's packages and from Node's npm package, with this machine's configuration of apt and npm.

configure_podman() {
  local driver=vfs cache=${XDG_CACHE_HOME:-$HOME/.cache}/tollkeeper-image
  local probe=$cache/probe
  local layers="lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work"
  mkdir -p "$cache/run" "$probe"/{lower,upper,work,merged}
  exec 9>"$cache/lock"
  flock 9
  mount -t tmpfs tmpfs "$cache/run" # what Podman expects to be lost at a reboot is lost with our namespaces
  # Overlays save time and space, but not every file system carries them.
  if mount -t overlay -o "$layers" overlay "$probe/merged" 2>/dev/null; then
    umount "$probe/merged"
    driver=overlay
  fi
  # crun refuses cgroups of both versions, also where it uses none.
  if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
  export BUILDAH_ISOLATION=chroot DISABLE_HC_SYSTEMD=true
  export CONTAINERS_STORAGE_CONF=$scratch/storage.conf CONTAINERS_CONF=$scratch/containers.conf
  cat >"$CONTAINERS_STORAGE_CONF" <<EOF
[storage]
driver = "$driver"
graphroot = "$cache/images"
runroot = "$cache/run"
EOF
  cat >"$CONTAINERS_CONF" <<EOF
[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "$cache/run/podman"
[containers]
cgroups = "disabled"
default_ulimits = []
EOF
  podman rm --all --force --volumes >/dev/null # of a run that was killed
  podman image prune --all --force --filter until=168h >/dev/null # no base image gets older than a week
}

make_bases() { # what the Dockerfile needs of the official images, at the same places
  local node suite host machine npm=/usr/local/lib/node_modules/npm
  IFS=:- read -r _ node suite _ <<<"$base" # node:26-trixie-slim
  host=$(. /etc/os-release && echo "$VERSION_CODENAME")
  machine=$(dpkg --print-architecture | sed s/amd64/x64/)
  apt-get -qq -o DPkg::Lock::Timeout=600 update || return
  apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) main' 'Identifier: Packages' 'Origin: Debian' |
    sed "s/ $host/ $suite/" >"$scratch/sources.list" || return
  npm pack --silent --fetch-retries 1 --pack-destination "$scratch" "node-linux-$machine@$node" npm@11 >/dev/null || return
  # Debian slim is the minimal system without these.
  mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --aptopt='Dir::Cache { pkgcache ""; srcpkgcache ""; }' \
    "$suite" "$scratch/slim.tar" "$scratch/sources.list" || return
  podman import --quiet "$scratch/slim.tar" "$slim" >/dev/null || return
  mkdir -p "$scratch/node/usr/local/bin" "$scratch/node$npm" || return
  tar -xzf "$scratch"/node-*.tgz -C "$scratch/node/usr/local" --strip-components 1 --no-same-owner package/bin/node || return
  tar -xzf "$scratch"/npm-*.tgz -C "$scratch/node$npm" --strip-components=1 --no-same-owner || return
  ln -s "$npm/bin/npm-cli.js" "$scratch/node/usr/local/bin/npm" || return
  podman build --quiet --pull-never --network host --tag "$base" --file - "$scratch/node" >/dev/null <<EOF
FROM $slim
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
COPY . /
EOF
}

npm_settings() { # the registry, proxies and certificates of npm here, without credentials, for /usr/local/etc
  local ca
  mkdir "$1"
  npm config get registry proxy https-proxy noproxy 2>/dev/null | grep -v '=null$' >"$1/npmrc"
  ca=$(npm config get cafile 2>/dev/null)
  [ -f "$ca" ] || ca=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}
  [ ! -f "$ca" ] || { cp "$ca" "$1/ca.crt" && echo 'cafile=/usr/local/etc/ca.crt' >>"$1/npmrc"; }
}
