#!/usr/bin/env bash
# The storm: real daemons killed at random moments, and every property test with more cases. `--full` is the long one;
# further arguments go to vitest.
set -euo pipefail
cd "$(dirname "$0")/../.."
multiplier=2 rounds=12 pulls=40 mails=20 keys=16 backups=12 replicas=8
if [ "${1-}" = --full ]; then
  shift
  multiplier=40 rounds=500 pulls=500 mails=500 keys=1200 backups=500 replicas=200
fi
export TOLLKEEPER_TESTS=storm
export TOLLKEEPER_STORM=${TOLLKEEPER_STORM:-$multiplier}
# A storm that is asked to be shorter is so in all its parts.
export TOLLKEEPER_MAIL_ROUNDS=${TOLLKEEPER_MAIL_ROUNDS:-${TOLLKEEPER_STORM_ROUNDS:-$mails}}
export TOLLKEEPER_KEY_ROUNDS=${TOLLKEEPER_KEY_ROUNDS:-${TOLLKEEPER_STORM_ROUNDS:-$keys}}
export TOLLKEEPER_PULL_ROUNDS=${TOLLKEEPER_PULL_ROUNDS:-${TOLLKEEPER_STORM_ROUNDS:-$pulls}}
export TOLLKEEPER_BACKUP_ROUNDS=${TOLLKEEPER_BACKUP_ROUNDS:-${TOLLKEEPER_STORM_ROUNDS:-$backups}}
export TOLLKEEPER_REPLICA_ROUNDS=${TOLLKEEPER_REPLICA_ROUNDS:-${TOLLKEEPER_STORM_ROUNDS:-$replicas}}
export TOLLKEEPER_STORM_ROUNDS=${TOLLKEEPER_STORM_ROUNDS:-$rounds}
echo "storm: $TOLLKEEPER_STORM_ROUNDS rounds of killed daemons, $TOLLKEEPER_PULL_ROUNDS of killed pulls, $TOLLKEEPER_MAIL_ROUNDS of killed senders, $TOLLKEEPER_KEY_ROUNDS of killed rotations, $TOLLKEEPER_BACKUP_ROUNDS of kills beside backups, $TOLLKEEPER_REPLICA_ROUNDS of failing replicas, property tests with $TOLLKEEPER_STORM times their cases"
exec npx --no-install vitest run --config test/vitest.config.ts "$@"
