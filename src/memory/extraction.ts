// Reads what people said for facts, some time after they said it: one model call for each thread that is due.
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

/** What the words of a job are read by. */
interface FactReading {
  readonly job: MemoryJob;
  readonly said: readonly SaidMessage[];
  readonly facts: readonly MemoryFact[];
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

export interface FactReader {
  /** The person's messages; empty when they are gone, must not be read, or no budget covers it. */
  said(job: MemoryJob): Promise<readonly SaidMessage[]>;
  /** One counted model call; `undefined` when it failed. */
  proposals(reading: FactReading): Promise<readonly FactProposal[] | undefined>;
}

export interface Extraction {
  /** A run has answered these words. Resolves when that is written down; never rejects. */
  heard(words: Omit<NewMemoryJob, 'dueAt'>): Promise<void>;
}

interface ExtractionParts {
  readonly jobs: MemoryJobs;
  readonly memoriesOf: (userId: string) => MemoryRepository;
  readonly reader: FactReader;
  readonly options: MemoryOptions;
  readonly onChange: (userId: string) => void;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
  /** At a stop, calls in progress are aborted, and the next process makes them again. */
  readonly upkeep: JobTaker;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Threads that become due here are known; this finds those that other processes have left. */
const OTHERS_MS = 30_000;
/** A thread that is due may wait for the end of a deletion. */
const AGAIN_MS = 500;
/** A model call and what is around it. */
const LEASE_MS = 180_000;
const MOST_ATTEMPTS = 3;
const PAUSE_MS = 60_000;
/** A memory that changes under each of so many attempts is being written by a loop. */
const WRITES = 5;

export function createExtraction(parts: ExtractionParts): Extraction {
  const { jobs, options, exclusive, upkeep, log, now } = parts;
  const isOn = options.enabled && options.extraction.enabled;
  const underWay = new Set<Promise<void>>();

  const begin = (job: MemoryJob): void => {
    const work = attempt(parts, job, upkeep.signal)
      // The lease ends by itself.
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
    // What a process left that was killed waits for nobody.
    if (isFirst && exclusive) await jobs.freeAll();
    const limit = options.extraction.at_once - underWay.size;
    // The end of each of them wakes it.
    if (limit <= 0) return undefined;
    const at = now();
    for (const job of await jobs.claim({ now: at, leaseUntil: at + LEASE_MS, limit })) begin(job);
    const nextAt = await jobs.nextDueAt();
    return nextAt === undefined ? undefined : Math.max(AGAIN_MS, nextAt - now());
  };
  const last = () => Promise.all(underWay);
  const added = isOn ? upkeep.add({ name: 'memory', everyMs: OTHERS_MS, pass: claimAll, last }) : undefined;

  return {
    async heard(words) {
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
  if (said.length === 0) return write(parts, { job, said, proposals: [] });
  const facts = (await memories.get(job.agent))?.facts ?? [];
  const proposals = await reader.proposals({ job, said, facts, signal });
  if (proposals === undefined || signal.aborted) return again(parts, job, signal);
  return write(parts, { job, said, proposals });
}

/** What a stop has broken off is as new; what failed too often is left. */
async function again(parts: ExtractionParts, job: MemoryJob, signal: AbortSignal): Promise<void> {
  const { jobs, log, now } = parts;
  if (signal.aborted) return jobs.giveBack(job, now(), { spent: false });
  if (job.attempt < MOST_ATTEMPTS) return jobs.giveBack(job, now() + PAUSE_MS, { spent: true });
  log.warn({ threadId: job.threadId }, 'memory extraction gave up on a thread: the model failed each time');
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

/** Of the memory as it is now: the person may have changed it while the model read. */
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
