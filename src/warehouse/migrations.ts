import type { Migration } from './migrations/migration.ts';
import { restatement } from './migrations/05-restatement.ts';
import { snapshots } from './migrations/06-snapshots.ts';
import { tokenClasses } from './migrations/07-token-classes.ts';
import { archive } from './migrations/08-archive.ts';
import { comparisons } from './migrations/09-comparisons.ts';
import { quarantine } from './migrations/10-quarantine.ts';
import { learnedProfile } from './migrations/11-learned-profile.ts';
import { gaps } from './migrations/12-gaps.ts';
import { outboxRoutes } from './migrations/13-outbox-routes.ts';
import { keys } from './migrations/14-keys.ts';
import { outboxTitle } from './migrations/15-outbox-title.ts';
import { outputConvention } from './migrations/16-output-convention.ts';
import { amountForm } from './migrations/17-amount-form.ts';
import { gatewayClock } from './migrations/18-gateway-clock.ts';
import { rowKinds } from './migrations/19-row-kinds.ts';
import { gapSearch } from './migrations/20-gap-search.ts';
import { seriesColours } from './migrations/21-series-colours.ts';

/*
 * Times are BIGINT: seconds UTC in the log tables, milliseconds UTC in the usage tables and the outbox, as the gateway's
 * endpoints have them, and in the tables of jobs. No enums, sequences or ON CONFLICT, so that another engine can take the same tables.
 */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'call log, usage and outbox',
    statements: [
      // One row a call, as served; there is no row id, and identical rows are different calls.
      `CREATE TABLE call_log (
        account VARCHAR NOT NULL,
        created_at BIGINT NOT NULL,
        quarter BIGINT NOT NULL,
        model_name VARCHAR NOT NULL,
        token_name VARCHAR NOT NULL,
        kind VARCHAR NOT NULL,
        prompt_tokens BIGINT,
        completion_tokens BIGINT,
        cached_tokens BIGINT,
        cache_write_tokens BIGINT,
        reasoning_tokens BIGINT,
        audio_tokens BIGINT,
        image_tokens BIGINT,
        quota DECIMAL(28, 12),
        extra VARCHAR
      )`,
      `CREATE TABLE log_window (
        account VARCHAR NOT NULL,
        start_at BIGINT NOT NULL,
        end_at BIGINT NOT NULL,
        row_count BIGINT NOT NULL,
        served_count BIGINT NOT NULL,
        replaced_count BIGINT NOT NULL,
        quota DECIMAL(38, 12) NOT NULL,
        replaced_quota DECIMAL(38, 12) NOT NULL,
        amounts VARCHAR,
        currency VARCHAR NOT NULL,
        columns VARCHAR NOT NULL,
        bytes BIGINT NOT NULL,
        landed_at BIGINT NOT NULL
      )`,
      // The span that regular pulls have covered without a gap.
      `CREATE TABLE log_cursor (account VARCHAR NOT NULL, origin BIGINT NOT NULL, reached BIGINT NOT NULL)`,
      // What the amounts of an account are, with the evidence so far.
      `CREATE TABLE log_amounts (
        account VARCHAR NOT NULL,
        currency VARCHAR NOT NULL,
        form VARCHAR,
        units_per_currency BIGINT NOT NULL,
        whole_count BIGINT NOT NULL,
        largest_whole DECIMAL(28, 12) NOT NULL
      )`,
      `CREATE TABLE usage_bucket (
        account VARCHAR NOT NULL,
        dimension VARCHAR NOT NULL,
        metric VARCHAR NOT NULL,
        granularity VARCHAR NOT NULL,
        bucket_start BIGINT NOT NULL,
        entry VARCHAR NOT NULL,
        value DECIMAL(28, 12) NOT NULL
      )`,
      `CREATE TABLE usage_window (
        account VARCHAR NOT NULL,
        dimension VARCHAR NOT NULL,
        metric VARCHAR NOT NULL,
        granularity VARCHAR NOT NULL,
        start_at BIGINT NOT NULL,
        end_at BIGINT NOT NULL,
        row_count BIGINT NOT NULL,
        replaced_count BIGINT NOT NULL,
        total DECIMAL(38, 12) NOT NULL,
        layout VARCHAR NOT NULL,
        bytes BIGINT NOT NULL,
        landed_at BIGINT NOT NULL
      )`,
      `CREATE TABLE usage_cursor (
        account VARCHAR NOT NULL,
        dimension VARCHAR NOT NULL,
        metric VARCHAR NOT NULL,
        granularity VARCHAR NOT NULL,
        origin BIGINT NOT NULL,
        reached BIGINT NOT NULL
      )`,
      `CREATE TABLE outbox (
        id VARCHAR NOT NULL,
        account VARCHAR NOT NULL,
        kind VARCHAR NOT NULL,
        subject VARCHAR NOT NULL,
        recipient VARCHAR NOT NULL,
        sender VARCHAR NOT NULL,
        message_id VARCHAR NOT NULL,
        file VARCHAR NOT NULL,
        state VARCHAR NOT NULL,
        attempts BIGINT NOT NULL,
        queued_at BIGINT NOT NULL,
        next_attempt BIGINT NOT NULL,
        changed_at BIGINT NOT NULL,
        last_error VARCHAR,
        UNIQUE (account, kind, subject, recipient)
      )`,
    ],
  },
  {
    number: 2,
    name: 'runs of jobs',
    statements: [
      `CREATE TABLE job_cursor (
        job VARCHAR NOT NULL,
        version BIGINT NOT NULL,
        schedule VARCHAR NOT NULL,
        claimed_through BIGINT NOT NULL,
        UNIQUE (job)
      )`,
      // The key is the last guard against a slot that is claimed twice.
      `CREATE TABLE job_run (
        job VARCHAR NOT NULL,
        slot BIGINT NOT NULL,
        account VARCHAR NOT NULL,
        run_trigger VARCHAR NOT NULL,
        version BIGINT NOT NULL,
        state VARCHAR NOT NULL,
        interval_start BIGINT NOT NULL,
        interval_end BIGINT NOT NULL,
        through BIGINT,
        attempts BIGINT NOT NULL,
        next_attempt BIGINT,
        claimed_at BIGINT NOT NULL,
        started_at BIGINT,
        ended_at BIGINT,
        code VARCHAR,
        reason VARCHAR,
        summary VARCHAR,
        UNIQUE (job, slot)
      )`,
      `CREATE TABLE job_attempt (
        job VARCHAR NOT NULL,
        slot BIGINT NOT NULL,
        attempt BIGINT NOT NULL,
        started_at BIGINT NOT NULL,
        ended_at BIGINT,
        state VARCHAR NOT NULL,
        code VARCHAR,
        reason VARCHAR,
        UNIQUE (job, slot, attempt)
      )`,
      `CREATE TABLE job_outage (
        job VARCHAR NOT NULL,
        slot BIGINT NOT NULL,
        opened_at BIGINT NOT NULL,
        UNIQUE (job)
      )`,
    ],
  },
  restatement,
  snapshots,
  tokenClasses,
  archive,
  comparisons,
  quarantine,
  learnedProfile,
  gaps,
  outboxRoutes,
  keys,
  outboxTitle,
  outputConvention,
  amountForm,
  gatewayClock,
  rowKinds,
  gapSearch,
  seriesColours,
];
