// What the service has recorded of the answers of a thread, read page by page: their runs, ratings and usage.
import type { AnswerPage, AnswerRating, RunUsage } from '../api/shapes.ts';

export interface KnownAnswers {
  /** By the id of the message: the run that it is of. */
  readonly runOfMessage: ReadonlyMap<string, string>;
  /** By the id of the answer. */
  readonly answers: ReadonlyMap<string, AnswerRating>;
  /** By the id of the run. */
  readonly usage: ReadonlyMap<string, RunUsage>;
  /** Whether there are answers older than those that were read. */
  readonly hasOlder: boolean;
}

export interface AnswerRecord {
  readonly known: () => KnownAnswers;
  readonly subscribe: (listener: () => void) => () => void;
  /** Reads the newest answers, and those between them and what was read before. Never fails: less is known then. */
  readonly readNewest: () => Promise<void>;
  /** Reads one page more; does nothing while it does that already. */
  readonly readOlder: () => Promise<void>;
  readonly show: (answer: AnswerRating) => void;
}

interface AnswerReader {
  readonly answersBefore: (threadId: string, seq: number | undefined) => Promise<AnswerPage>;
  /** Newest first; an empty list behind the oldest one. */
  readonly runUsage: (threadId: string, offset: number) => Promise<readonly RunUsage[]>;
}

export const NOTHING_KNOWN: KnownAnswers = {
  runOfMessage: new Map(),
  answers: new Map(),
  usage: new Map(),
  hasOlder: false,
};

/** Of one reading: runs without an answer stand between those with one. */
const MOST_PAGES = 5;

export function createAnswerRecord(api: AnswerReader, threadId: string): AnswerRecord {
  let known = NOTHING_KNOWN;
  /** Before it nothing was read; null when nothing is there. */
  let oldest: number | null | undefined;
  let runsRead = 0;
  let last: Promise<void> = Promise.resolve();
  let isReadingOlder = false;
  const listeners = new Set<() => void>();

  function change(next: Partial<KnownAnswers>): void {
    known = { ...known, ...next };
    for (const listener of listeners) listener();
  }

  function add({ messages, answers }: AnswerPage): void {
    change({
      runOfMessage: new Map([
        ...known.runOfMessage,
        ...messages.map(({ id, runId }) => [id, runId] as const),
      ]),
      answers: new Map([...known.answers, ...answers.map((it) => [it.answerId, it] as const)]),
      hasOlder: oldest !== null && oldest !== undefined,
    });
  }

  async function addUsage(offset: number): Promise<number> {
    const runs = await api.runUsage(threadId, offset);
    change({ usage: new Map([...known.usage, ...runs.map((run) => [run.run_id, run] as const)]) });
    return runs.length;
  }

  async function addUsageOf({ messages }: AnswerPage): Promise<void> {
    for (let page = 0; page < MOST_PAGES; page++) {
      if (messages.every(({ runId }) => known.usage.has(runId))) return;
      const length = await addUsage(runsRead);
      if (length === 0) return;
      runsRead += length;
    }
  }

  async function newest(): Promise<void> {
    const isFirst = oldest === undefined;
    const before = known.runOfMessage;
    let read = await api.answersBefore(threadId, undefined);
    if (isFirst) oldest = read.next;
    add(read);
    runsRead = Math.max(runsRead, await addUsage(0));
    // Until it meets what was read before.
    for (let page = 1; page < MOST_PAGES && !isFirst; page++) {
      if (read.next === null || read.messages.some(({ id }) => before.has(id))) return;
      read = await api.answersBefore(threadId, read.next);
      add(read);
    }
  }

  async function older(): Promise<void> {
    if (oldest === null || oldest === undefined) return;
    const read = await api.answersBefore(threadId, oldest);
    oldest = read.next;
    add(read);
    await addUsageOf(read);
  }

  /** One after the other; what cannot be read is not shown, and asked for again with the next answer. */
  function queue(reading: () => Promise<void>): Promise<void> {
    last = last.then(reading).catch(() => {});
    return last;
  }

  return {
    known: () => known,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    readNewest: () => queue(newest),
    readOlder: async () => {
      if (isReadingOlder) return;
      isReadingOlder = true;
      await queue(older);
      isReadingOlder = false;
      // Who asked meanwhile asks again.
      change({});
    },
    show: (answer) => change({ answers: new Map(known.answers).set(answer.answerId, answer) }),
  };
}
