#!/usr/bin/env bash
# Tests over PostgreSQL: one scenario for each thing that a warehouse does. `--full` runs whole suites a second time; further arguments go to
# vitest.
set -euo pipefail
cd "$(dirname "$0")/../.."
export TOLLKEEPER_TESTS=postgres
if [ "${1-}" = --full ]; then
  shift
  export TOLLKEEPER_TESTS=postgres-full
fi
exec npx --no-install vitest run --config test/vitest.config.ts "$@"
