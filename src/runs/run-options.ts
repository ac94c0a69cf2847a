// Options of runs: the section `runs:` of the configuration file.
import { z } from 'zod';
import { retentionOptionsSchema } from './record/retention-options.ts';

const milliseconds = (defaultValue: number) => z.int().min(1).max(3_600_000).default(defaultValue);

export const runOptionsSchema = z.strictObject({
  /** Runs that this process executes at the same time; more wait as `pending`. */
  max_concurrent: z.int().min(1).max(10_000).default(1_000),
  /** Of these, the runs of one user. */
  per_user: z.int().min(1).max(10_000).default(250),
  /** Waiting runs of one user; further ones are refused. */
  max_waiting_per_user: z.int().min(1).max(100_000).default(1_000),
  /** Waiting runs that are claimed per second after a start or the death of another process. */
  resume_per_second: z.int().min(1).max(10_000).default(50),
  /** How long reports of runs may wait for the next transaction; up to 20 ms when hundreds of runs report. */
  flush_interval_ms: milliseconds(10),
  /** How long a process may be silent before its runs are taken over, and how often it renews its lease. */
  lease_ms: milliseconds(10_000),
  lease_renewal_ms: milliseconds(2_000),
  /** After so many attempts, a run that crashes its process ends as `crashed_repeatedly`. */
  max_attempts: z.int().min(1).max(100).default(3),
  /** How long running runs may continue after SIGTERM. */
  drain_ms: milliseconds(30_000),
  /** Longest content of a trace event, in bytes. */
  trace_limit_bytes: z.int().min(256).max(1_048_576).default(10_240),
  /** Hours after which the stream of an ended run loses the pieces of its messages and shows them whole. */
  frame_retention_hours: z.number().min(0).max(87_600).default(24),
  retention: retentionOptionsSchema.prefault({}),
  /** The size limit of a thread's state: its messages and fields together. */
  max_state_mb: z.int().min(1).max(1_024).default(32),
  /** Memory for the states of recently used threads. */
  state_cache_mb: z.int().min(1).max(4_096).default(64),
});

export type RunsOptions = z.output<typeof runOptionsSchema>;
