#!/usr/bin/env bash
# Builds the image of the Dockerfile and checks it.
#
#   scripts/image.sh                  build
#   scripts/image.sh smoke            build, start the image as config/deploy/compose.yaml does, and check it: health, user,
#                                     what it can write, secrets, memory, a change of the configuration, its end, its size
#   scripts/image.sh memory [--full]  build, and measure a pull of a million calls in a container with 512 MB; with --full also
#                                     one of 5 million calls with 1 GB
#   scripts/image.sh sizes            build, and print the size of each layer
#   scripts/image.sh run COMMAND...   build, and run a command of the image, with a volume at /data
#   scripts/image.sh packages         print the Debian packages that this machine needs for the above
#
# The containers have a read-only root file system, no network and no capabilities.
#
# Docker or Podman are used as they are, where one of them runs containers of the base image. Elsewhere root on Debian
# uses Podman with a storage and a base image of its own (image-podman.sh). Where that is impossible too, the reason is
# printed and the exit status is 77.
set -euo pipefail
cd "$(dirname "$0")/.."
base=$(sed -nE '/^FROM node:/{s/^FROM ([^ ]+).*/\1/p;q}' Dockerfile)
slim=$(sed -nE '/^FROM debian:/{s/^FROM ([^ ]+).*/\1/p;q}' Dockerfile)
image=tollkeeper:checked
max_size=300 # megabytes, the sum of the layers
packages=(podman crun mmdebstrap)

say() { echo "image: $*" >&2; }
skip() {
  say "skipped: $*"
  exit 77
}

engine=''
if [ -z "${TOLLKEEPER_IMAGE_NAMESPACES-}" ]; then
  for candidate in docker podman; do
    if "$candidate" run --rm --network none "$base" true >/dev/null 2>&1; then
      engine=$candidate
      break
    fi
  done
  if [ "${1-}" = packages ]; then
    [ -n "$engine" ] || echo "${packages[@]}"
    exit
  fi
  if [ -z "$engine" ]; then
    why="neither Docker nor Podman runs containers of $base"
    [ "$(id -u)" = 0 ] || skip "$why, and only root can build without"
    for package in "${packages[@]}"; do
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        skip "$why, and Debian's package $package is not installed"
    done
    unshare --mount --pid --fork --mount-proc true 2>/dev/null || skip "$why, and namespaces cannot be made here"
    # Namespaces of our own: no mount and no process outlives this script.
    TOLLKEEPER_IMAGE_NAMESPACES=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
  fi
fi

containers=() scratch=$(mktemp -d)
clean() {
  [ ${#containers[@]} -eq 0 ] || "$engine" rm --force --volumes "${containers[@]}" >/dev/null || true
  rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build_options=()
if [ -z "$engine" ]; then
  engine=podman
  . scripts/image-podman.sh
  configure_podman
  if ! podman image exists "$base" || ! podman image exists "$slim"; then
    say "making base images in place of $base and $slim"
    make_bases || skip "no base images could be made from Debian's archive and the npm registry, for the reason above"
  fi
  npm_settings "$scratch/npm"
  build_options=(--format docker --pull-never --network host --volume "$scratch/npm:/usr/local/etc:ro")
fi

say "building with $engine"
if ! "$engine" build "${build_options[@]}" --tag "$image" . >"$scratch/build.log" 2>&1; then
  tail -n 60 "$scratch/build.log" >&2
  say "the build failed"
  exit 1
fi

restricted=(--read-only --tmpfs /tmp --volume /data --network none --cap-drop all --security-opt no-new-privileges)
state() { "$engine" inspect --format "{{.State.$1}}" "$container"; }
is_healthy() {
  # Podman leaves a check's interval to systemd, which not every machine has.
  if [ "$engine" = podman ]; then
    podman healthcheck run "$container" >/dev/null 2>&1
  else
    [ "$(state Health.Status)" = healthy ]
  fi
}
inside() { "$engine" exec "$container" "$@" 2>/dev/null; }
until_true() { # for 30 seconds at most
  for _ in {1..30}; do
    if "$@"; then return; fi
    [ "$(state Running)" = true ] || return
    sleep 1
  done
  return 1
}

# What the Compose file names: a configuration, secrets, and the memory limit that its container would have.
make_project() {
  local limit
  mkdir -p "$1"/{config/jobs,secrets,cgroup}
  cp config/deploy/compose.yaml "$1"
  cat >"$1/config/tollkeeper.yaml" <<'EOF'
accounts:
  main: { base_url: "${GATEWAY_BASE_URL}", admin_key: "${GATEWAY_ADMIN_KEY}" }
mail: { smtp: "${SMTP_URL}", from: reports@example.com }
EOF
  echo 'sk-admin-of-the-smoke-check' >"$1/secrets/gateway_admin_key"
  echo 'smtp://user:password@mail.example.com:587' >"$1/secrets/smtp_url"
  limit=$(sed -nE 's/^ *mem_limit: ([0-9]+)g.*/\1/p' "$1/compose.yaml")
  echo "$((limit << 30))" >"$1/cgroup/memory.max"
  chmod -R a+rX "$scratch" # for the user of the container
}

start_service() { # NETWORK: starts the service of the Compose file, and sets its container
  local options
  mapfile -t options < <(node scripts/compose-options.mjs "$scratch/project/compose.yaml" tollkeeper)
  options+=(--network "$1" --volume "$scratch/project/cgroup:/sys/fs/cgroup:ro")
  [ "$engine" = podman ] || options+=(--health-interval 1s)
  container=$("$engine" run --detach "${options[@]}" "$image")
  containers+=("$container")
}

failed=()
expect() { # NAME COMMAND...
  local name=$1
  shift
  if "$@"; then say "$name: yes"; else
    say "$name: NO"
    failed+=("$name")
  fi
}
runs_as_1000() { [ "$(inside sh -c 'stat -c %u /proc/[0-9]* 2>/dev/null | sort -u')" = 1000 ]; }
only_data_is_writable() { ! inside touch /probe && ! inside touch /app/probe && inside touch /data/probe; }
secrets_are_files() { ! inside printenv GATEWAY_ADMIN_KEY && inside grep -q sk-admin /run/secrets/gateway_admin_key; }
# `grep -q` would end before the program has written everything, which then fails.
divides_its_memory() { inside tollkeeper check --config /config | grep '^memory: 1073MB of the container' >/dev/null; }
edit_is_applied() {
  printf 'jobs:\n  added: { kind: pull-logs, since: 2026-01-01 }\n' >"$scratch/project/config/jobs/added.yaml"
  chmod a+r "$scratch/project/config/jobs/added.yaml"
  until_true knows_the_added_job
}
knows_the_added_job() { inside tollkeeper status --json | grep '"added"' >/dev/null; }
ends_with_0() {
  "$engine" stop "$container" >/dev/null
  [ "$(state ExitCode)" = 0 ]
}
is_small() { [ "$(("$("$engine" image inspect --format '{{.Size}}' "$image")" / 1000000))" -le "$max_size" ]; }

smoke() {
  make_project "$scratch/project"
  start_service none
  expect 'becomes healthy' until_true is_healthy
  expect 'all processes run as the user 1000' runs_as_1000
  expect 'only /data is writable' only_data_is_writable
  expect 'secrets are files, not variables' secrets_are_files
  expect 'divides the memory of its container' divides_its_memory
  expect 'applies a change of the configuration' edit_is_applied
  expect 'ends with exit status 0 when it is stopped' ends_with_0
  expect "is at most $max_size MB" is_small
  [ ${#failed[@]} -gt 0 ] || return 0
  "$engine" logs "$container" >&2
  return 1
}

used_memory() { # MB of all processes in the container: what they share is counted once
  local namespace process
  namespace=$(readlink "/proc/$(state Pid)/ns/pid")
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/ns/pid" 2>/dev/null)" != "$namespace" ] || cat "$process/smaps_rollup" 2>/dev/null
  done | awk '/^Pss:/ { sum += $2 } END { print int(sum * 1024 / 1000000) }'
}
measure_pull() { # ROWS LIMIT MOST: a pull of at least so many rows with a limit of so many MiB takes at most so many MB
  local rows=$1 limit=$2 most=$3 sandbox used peak=0 pull
  make_project "$scratch/project"
  echo "$((limit << 20))" >"$scratch/project/cgroup/memory.max"
  sed -i 's#^mail:.*#health: { port: 18080 }#' "$scratch/project/config/tollkeeper.yaml"
  echo 'jobs: { pull-logs: { kind: pull-logs, since: 2020-01-01 } }' >"$scratch/project/config/jobs/pull.yaml"
  chmod -R a+rX "$scratch"
  sed -i 's#https://gateway.example.com#http://127.0.0.1:18787#' "$scratch/project/compose.yaml"
  sandbox=$("$engine" run --detach --network host "$image" sandbox --port 18787 --months 12 \
    --calls-per-day "$((rows / 360))" --admin-key "$(cat "$scratch/project/secrets/gateway_admin_key")")
  containers+=("$sandbox")
  start_service host
  until_true is_healthy || true
  "$engine" exec "$container" tollkeeper run pull-logs >"$scratch/pull.txt" 2>&1 &
  pull=$!
  while kill -0 "$pull" 2>/dev/null; do
    used=$(used_memory || echo 0)
    [ "$used" -le "$peak" ] || peak=$used
    sleep 0.1
  done
  wait "$pull" || peak=$((most + 1))
  say "limit $limit MiB, peak $peak MB: $(tail -n 1 "$scratch/pull.txt")"
  "$engine" rm --force --volumes "${containers[@]}" >/dev/null
  containers=()
  [ "$peak" -le "$most" ]
}
memory() {
  expect 'pulls 1 million calls with 512 MB' measure_pull 1000000 512 536
  [ "${1-}" != --full ] || expect 'takes at most 900 MB of 1 GB for a pull of 5 million calls' measure_pull 5000000 1024 900
  [ ${#failed[@]} -eq 0 ]
}

case ${1-} in
  '') ;;
  smoke) smoke ;;
  memory) memory "${@:2}" ;;
  sizes) "$engine" history --format '{{.Size}}\t{{.CreatedBy}}' "$image" | grep -v '^0 B' ;;
  run) "$engine" run --rm "${restricted[@]}" "$image" "${@:2}" ;;
esac
