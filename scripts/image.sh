#!/usr/bin/env bash
# Builds the image of the Dockerfile and checks it.
#
#   scripts/image.sh                  build
#   scripts/image.sh smoke            build, and start the image: its health check must pass, all of its processes must
#                                     run as the user 1000, it must end with exit status 0 when it is stopped, and it
#                                     must be smaller than 300 MB
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

container='' scratch=$(mktemp -d)
clean() {
  [ -z "$container" ] || "$engine" rm --force --volumes "$container" >/dev/null || true
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
smoke() {
  local healthy=no users status size
  [ "$engine" = podman ] || restricted+=(--health-interval 1s)
  container=$("$engine" run --detach "${restricted[@]}" "$image")
  for _ in {1..30}; do
    [ "$(state Running)" = true ] || break
    if is_healthy; then
      healthy=yes
      break
    fi
    sleep 1
  done
  users=$("$engine" exec "$container" sh -c 'stat -c %u /proc/[0-9]* 2>/dev/null | sort -u' 2>/dev/null || true)
  "$engine" stop --time 15 "$container" >/dev/null
  status=$(state ExitCode)
  size=$(("$("$engine" image inspect --format '{{.Size}}' "$image")" / 1000000))
  say "healthy: $healthy; users: ${users:-unknown}; exit status: $status; size: $size MB, at most $max_size"
  if [ "$healthy" = yes ] && [ "$users" = 1000 ] && [ "$status" = 0 ] && [ "$size" -le "$max_size" ]; then return; fi
  "$engine" logs "$container" >&2
  return 1
}

case ${1-} in
  '') ;;
  smoke) smoke ;;
  sizes) "$engine" history --format '{{.Size}}\t{{.CreatedBy}}' "$image" | grep -v '^0 B' ;;
  run) "$engine" run --rm "${restricted[@]}" "$image" "${@:2}" ;;
esac
