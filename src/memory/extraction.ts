// Extracts facts from what people said, some time later: one model call for each thread that is due.
import type { Log } from '../log.ts';
import type {
  MemoryChange,
  MemoryFact,
  MemoryJob,
  MemoryJobs,
  MemoryRepository,
  NewMemoryJob,
} from '../storage/memories.ts';
import type { JobTaker, Turn } from '../upkeep/upkeep.ts';
import { type FactProposal, type SaidMessage, withProposals } from './fact-changes.ts';
import type { MemoryOptions } from './memory-options.ts';
import { MOST_AGENTS } from './memory-service.ts';

interface FactReading {
  readonly job: MemoryJob;
  readonly said: readonly SaidMessage[];
  readonly facts: readonly MemoryFact[];
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

export interface FactReader {
  /**
   * Returns the person's messages; none if they are gone, must not be read, or no budget covers it. Returns
   * `undefined` while the job's run has not written the newest of them yet.
   */
  said(job: MemoryJob): Promise<readonly SaidMessage[] | undefined>;
  /** Makes one counted model call. Returns `undefined` when it failed. */
  proposals(reading: FactReading): Promise<readonly FactProposal[] | undefined>;
}

export type Extraction = ReturnType<typeof createExtraction>;

interface ExtractionParts {
  readonly jobs: MemoryJobs;
  readonly memoriesOf: (userId: string) => MemoryRepository;
  readonly reader: FactReader;
  readonly options: MemoryOptions;
  readonly onChange: (userId: string) => void;
  /** True when this process alone uses the database. */
  readonly exclusive: boolean;
  /** At a stop, calls in progress are aborted, and the next process makes them again. */
  readonly upkeep: JobTaker;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Finds due threads that other processes left. This process knows when its own become due. */
const OTHERS_MS = 30_000;
/** A due thread may have to wait for the end of a deletion, or for the messages of its run. */
const AGAIN_MS = 500;
/** Enough for a model call and the work around it. */
const LEASE_MS = 180_000;
const MOST_ATTEMPTS = 3;
const PAUSE_MS = 60_000;
/** If a memory changes during so many attempts, a loop is writing it. */
const WRITES = 5;

export function createExtraction(parts: ExtractionParts) {
  const { jobs, options, exclusive, upkeep, log, now } = parts;
  const isOn = options.enabled && options.extraction.enabled;
  const underWay = new Set<Promise<void>>();

  const begin = (job: MemoryJob): void => {
    const work = attempt(parts, job, upkeep.signal)
      // The lease expires without further action.
      .catch((err: unknown) =>
        log.warn({ err, threadId: job.threadId }, 'memory extraction of a thread will be retried later'),
      )
      .finally(() => {
        underWay.delete(work);
        void added?.wake();
      });
    underWay.add(work);
  };
  const claimAll = async ({ isFirst }: Turn): Promise<number | undefined> => {
    // Jobs of a process that was killed need not wait for the end of their leases.
    if (isFirst && exclusive) await jobs.freeAll();
    const limit = options.extraction.at_once - underWay.size;
    // The end of each job wakes this pass.
    if (limit <= 0) return undefined;
    const at = now();
    for (const job of await jobs.claim({ now: at, leaseUntil: at + LEASE_MS, limit })) begin(job);
    const nextAt = await jobs.nextDueAt();
    return nextAt === undefined ? undefined : Math.max(AGAIN_MS, nextAt - now());
  };
  const last = () => Promise.all(underWay);
  const added = isOn ? upkeep.add({ name: 'memory', everyMs: OTHERS_MS, pass: claimAll, last }) : undefined;

  return {
    /** Schedules extraction for messages that got a reply. Resolves once stored or failed; never rejects. */
    async heard(words: Omit<NewMemoryJob, 'dueAt'>): Promise<void> {
      if (!isOn) return;
      const delayMs = options.extraction.delay_seconds * 1_000;
      await jobs
        .add({ ...words, dueAt: now() + delayMs })
        .then(() => added?.wakeWithin(delayMs))
        .catch((err: unknown) =>
          log.warn({ err, runId: words.runId }, 'a run was skipped by memory extraction'),
        );
    },
  };
}

async function attempt(parts: ExtractionParts, job: MemoryJob, signal: AbortSignal): Promise<void> {
  const { reader, memoriesOf } = parts;
  const memories = memoriesOf(job.userId);
  const said = (await memories.isOff()) ? [] : await reader.said(job);
  if (said === undefined) return parts.jobs.giveBack(job, parts.now() + AGAIN_MS, { spent: false });
  if (said.length === 0) return write(parts, { job, said, proposals: [] });
  const facts = (await memories.get(job.agent))?.facts ?? [];
  const proposals = await reader.proposals({ job, said, facts, signal });
  if (proposals === undefined || signal.aborted) return again(parts, job, signal);
  return write(parts, { job, said, proposals });
}

/** Releases the job. An attempt aborted by a stop does not count; a job that failed too often is dropped. */
async function again(parts: ExtractionParts, job: MemoryJob, signal: AbortSignal): Promise<void> {
  const { jobs, log, now } = parts;
  if (signal.aborted) return jobs.giveBack(job, now(), { spent: false });
  if (job.attempt < MOST_ATTEMPTS) return jobs.giveBack(job, now() + PAUSE_MS, { spent: true });
  log.warn(
    { threadId: job.threadId },
    'memory extraction gave up on a thread: the model failed on every attempt',
  );
  return write(parts, { job, said: [], proposals: [] });
}

async function write(parts: ExtractionParts, read: Read): Promise<void> {
  const { job } = read;
  for (let attempts = 0; attempts < WRITES; attempts += 1) {
    const change = await changeOf(parts, parts.memoriesOf(job.userId), read);
    const limits = { mostAgents: MOST_AGENTS, now: parts.now() };
    const outcome = await parts.jobs.finish(job, change, limits);
    if (outcome === 'stale') continue;
    if (change !== undefined) parts.onChange(job.userId);
    return;
  }
}

interface Read extends Pick<FactReading, 'job' | 'said'> {
  readonly proposals: readonly FactProposal[];
}

/** Returns the change of the memory as it is now: the person may have changed it while the model read. */
async function changeOf(
  { options, now, newId }: ExtractionParts,
  memories: MemoryRepository,
  { job, said, proposals }: Read,
): Promise<MemoryChange | undefined> {
  const { agent, threadId } = job;
  const current = await memories.get(agent);
  const before = current?.facts ?? [];
  if (proposals.length === 0) return undefined;
  const facts = withProposals(before, proposals, {
    said,
    threadId,
    maxFacts: options.max_facts,
    minConfidence: options.extraction.min_confidence,
    now: now(),
    newId,
  });
  const isSame = facts.length === before.length && facts.every((it, n) => it === before[n]);
  if (isSame) return undefined;
  return { agent, from: current?.revision ?? 0, facts, previous: before };
}
