// Random conversations: messages are listed and found as the state says, wherever a process dies.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message, RemoveMessage } from '../../src/messages/message.ts';
import { messageChanges, newMessages } from '../../src/messages/message-changes.ts';
import { parseSearchQuery } from '../../src/messages/search/search-query.ts';
import { serializedMessage } from '../../src/messages/serialized-message.ts';
import {
  EMPTY_STATE,
  foldDelta,
  serializedDelta,
  type ThreadState,
} from '../../src/messages/thread-state.ts';
import { messageRevisions } from '../../src/runs/record/message-revisions.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import {
  ANN,
  createThread,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRunOn,
} from './samples.ts';

/** `at` selects one of the checkpoints so far; `message` one of the messages of the state there. */
const place = fc.nat({ max: 1_000 });
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const), at: fc.option(place) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('edit' as const, 'remove' as const, 'return' as const),
      at: fc.option(place, { freq: 3 }),
      message: place,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), at: fc.constant(null) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const), pages: fc.nat({ max: 3 }) }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;
/** After this many transactions the process dies, and the act is retried. */
const step = fc.record({ act, diesAfter: fc.option(fc.nat({ max: 6 }), { freq: 2 }) });

/** The process that removed a message dies before the removal is settled, and the message returns. */
const RETURN_TO_UNSETTLED = [
  { act: { kind: 'answer' as const, at: null }, diesAfter: null },
  { act: { kind: 'remove' as const, at: null, message: 0 }, diesAfter: 4 },
  { act: { kind: 'return' as const, at: null, message: 0 }, diesAfter: null },
];

describe('the lineage of a thread', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase('sqlite::memory:', QUIET_LOG);
    await migrate(database, MIGRATIONS, Date.now);
  });
  afterAll(() => database.close());

  let threads = 0;

  async function lives(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) {
    threads += 1;
    const thread = await Conversation.begin(database, `t${threads}`);
    for (const { act: asked, diesAfter } of steps) {
      const before = thread.expected();
      if (diesAfter !== null && (await thread.dying(diesAfter, asked))) continue;
      // A preparation has no effect before the head has moved.
      expect(await thread.shown()).toEqual(before);
      await thread.act(asked);
      expect(await thread.shown()).toEqual(thread.expected());
    }
    expect(await thread.differences()).toEqual([]);
    await thread.act({ kind: 'settle', pages: Number.POSITIVE_INFINITY });
    expect(await thread.shown()).toEqual(thread.expected());
    expect(await thread.differences()).toEqual([]);
  }

  it('[messages.follow] is listed and found as its state says, after any acts and crashes', async () => {
    const acts = fc.array(step, { minLength: 3, maxLength: 12 });
    await fc.assert(fc.asyncProperty(acts, lives), { numRuns: 20, examples: [[RETURN_TO_UNSETTLED]] });
  }, 60_000);
});

class Died extends Error {}

interface Stand {
  readonly id: string | null;
  readonly step: number;
  readonly state: ThreadState;
  /** The ids of all messages that were ever on the lineage. */
  readonly said: ReadonlySet<string>;
}

const ROOT: Stand = { id: null, step: -1, state: EMPTY_STATE, said: new Set() };

/** A thread in a database, and its expected state. */
class Conversation {
  readonly #threadId: string;
  readonly #storage: ReturnType<typeof createSqlStorage>;
  readonly #recorded = new Map<string, Message>();
  readonly #stands: Stand[] = [ROOT];
  #head: Stand = ROOT;
  #names = 0;
  #run: RunRecord | undefined;
  #writesLeft = Number.POSITIVE_INFINITY;

  static async begin(database: Database, threadId: string): Promise<Conversation> {
    const conversation = new Conversation(database, threadId);
    await createThread(conversation.#storage, ANN, threadId);
    return conversation;
  }

  private constructor(database: Database, threadId: string) {
    this.#threadId = threadId;
    const mortal: Database = {
      ...database,
      ownedBy: () => mortal,
      get ahead() {
        return mortal;
      },
      write: async (change) => {
        if (this.#writesLeft <= 0) throw new Died();
        this.#writesLeft -= 1;
        return database.write(change);
      },
    };
    this.#storage = createSqlStorage(mortal, machineClock(Date.now));
  }

  /** Returns true if the act was done before the process died. */
  async dying(writes: number, asked: Act): Promise<boolean> {
    this.#writesLeft = writes;
    try {
      await this.act(asked);
      return true;
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      return false;
    } finally {
      this.#writesLeft = Number.POSITIVE_INFINITY;
    }
  }

  async act(asked: Act): Promise<void> {
    if (asked.kind === 'settle') {
      for (let page = 0; page < asked.pages && (await this.#storage.runCommits.settleNext()); page += 1);
      return;
    }
    const base = asked.at === null ? this.#head : (this.#stands[asked.at % this.#stands.length] ?? ROOT);
    if (asked.kind === 'answer') return this.#answer(base);
    const changes = asked.kind === 'clear' ? [removal('__remove_all__')] : this.#changes(asked, base);
    if (changes.length > 0) await this.#update(base, changes);
  }

  #changes(
    { kind, message: at }: { readonly kind: 'edit' | 'remove' | 'return'; readonly message: number },
    { state: { messages }, said: everSaid }: Stand,
  ): readonly (Message | RemoveMessage)[] {
    const known = new Set(messages.map(({ id }) => id));
    const gone = [...this.#recorded.values()].filter(({ id }) => everSaid.has(id) && !known.has(id));
    const among = kind === 'return' ? gone : messages;
    const message = among[at % Math.max(1, among.length)];
    if (message === undefined) return [];
    return [kind === 'remove' ? removal(message.id) : said(message.id, this.#name('word'))];
  }

  #name(kind: string): string {
    this.#names += 1;
    return `${this.#threadId}${kind}${this.#names}x`;
  }

  /** Runs from this state, or from the head if it is the empty one: no run goes back to an empty thread. */
  async #answer({ id }: Stand): Promise<void> {
    const base = this.#stands.find((stand) => stand.id === id && id !== null) ?? this.#head;
    const { runCommits } = this.#storage;
    const run = await this.#newRun();
    const { runId, attempt } = run;
    const heads = { fromId: this.#head.id, toId: base.id };
    const isBranch = base.id !== null && base.id !== this.#head.id;
    const move = isBranch
      ? await runCommits.prepareMove(this.#threadId, { ...heads, runId, attempt })
      : undefined;
    const messages = [said(this.#name('m'), this.#name('word')), said(this.#name('m'), this.#name('word'))];
    const next = this.#next(base, messages);
    const branch = move && base.id !== null ? { branchedAt: base.id, move } : {};
    const change = sampleChange(run, {
      checkpoints: [{ ...next.checkpoint, runId }],
      events: messages.map((message) => sampleEvent(JSON.parse(serializedMessage(message).text))),
      run: { status: 'success', stopReason: 'completed' },
      thread: { ...branch, headCheckpointId: next.stand.id, status: 'idle' },
    });
    expect(await runCommits.commit([change], 3000)).toEqual({ lost: [], blocked: [] });
    this.#run = undefined;
    for (const message of messages) this.#recorded.set(message.id, message);
    this.#stand(next.stand);
  }

  /** The process survives until the run is claimed. */
  async #newRun(): Promise<RunRecord> {
    const writesLeft = this.#writesLeft;
    this.#writesLeft = Number.POSITIVE_INFINITY;
    await this.#endRun();
    this.#run = await startRunOn(this.#storage, ANN, sampleRun(this.#name('run'), this.#threadId));
    this.#writesLeft = writesLeft;
    return this.#run;
  }

  /** Ends the run of a process that died. */
  async #endRun(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined) return;
    const ended = sampleChange(run, {
      run: { status: 'success', stopReason: 'completed' },
      thread: { status: 'idle' },
    });
    await this.#storage.runCommits.commit([ended], 3000);
  }

  async #update(base: Stand, changes: readonly (Message | RemoveMessage)[]): Promise<void> {
    const writesLeft = this.#writesLeft;
    this.#writesLeft = Number.POSITIVE_INFINITY;
    await this.#endRun();
    this.#writesLeft = writesLeft;
    const next = this.#next(base, changes);
    const outcome = await this.#storage.as(ANN).checkpoints.append(this.#threadId, next.checkpoint, {
      expectedHead: this.#head.id,
      revisions: messageRevisions(next.checkpoint, {
        changes: messageChanges(base.state, next.fold),
        added: newMessages(base.state, next.delta),
      }),
    });
    expect(outcome).toBe('appended');
    this.#stand(next.stand);
  }

  #next(base: Stand, messages: readonly (Message | RemoveMessage)[]) {
    const id = this.#name('checkpoint');
    const delta = { messages, values: {} };
    const fold = foldDelta(base.state, delta);
    const at = { step: base.step + 1, delta: serializedDelta(delta), createdAt: 1_000 + this.#names };
    return {
      delta,
      fold,
      checkpoint: sampleCheckpoint(id, base.id, at),
      stand: {
        id,
        step: base.step + 1,
        state: fold.state,
        said: new Set([...base.said, ...messages.map((it) => it.id)]),
      },
    };
  }

  #stand(stand: Stand): void {
    this.#stands.push(stand);
    this.#head = stand;
  }

  /** Returns the messages of the state at the head. */
  expected(): readonly string[] {
    const { messages } = this.#head.state;
    return messages.map(({ id, content }) => `${id}: ${JSON.stringify(content)}`).sort();
  }

  /** Returns the messages as listed in two pages, and checks that search finds the same ones. */
  async shown(): Promise<readonly string[]> {
    const { runEvents, search } = this.#storage.as(ANN);
    const newest = await runEvents.messages(this.#threadId, { cursor: { kind: 'newest' }, limit: 3 });
    const first = newest.events[0]?.seq ?? 1;
    const older = await runEvents.messages(this.#threadId, {
      cursor: { kind: 'before', seq: first },
      limit: 1_000,
    });
    expect(newest.hasMore).toBe(older.events.length > 0);
    const contents = [...older.events, ...newest.events].map(({ content }) => content as unknown as Message);
    for (const { content } of [...this.#recorded.values(), ...contents]) {
      const found = await search.find(parseSearchQuery(String(content)), { limit: 5, offset: 0 });
      const isListed = contents.some((listed) => listed.content === content);
      expect([content, found.threads.length]).toEqual([content, isListed ? 1 : 0]);
    }
    return contents.map(({ id, content }) => `${id}: ${JSON.stringify(content)}`).sort();
  }

  /** Returns the differences from the record, without run totals: token counts do not matter here. */
  async differences(): Promise<readonly unknown[]> {
    const options = { repair: false, busyThreads: 'skip' } as const;
    await this.#endRun();
    const verdict = await this.#storage.projections.verifyThread(this.#threadId, options);
    if (verdict.kind !== 'verified') return [verdict];
    return verdict.differences.filter(({ projection }) => projection !== 'run totals');
  }
}

function said(id: string, content: string): Message {
  return {
    id,
    type: 'ai',
    content,
    name: null,
    tool_calls: [],
    invalid_tool_calls: [],
    usage_metadata: null,
    additional_kwargs: {},
    response_metadata: {},
  };
}

function removal(id: string): RemoveMessage {
  return { type: 'remove', id };
}
