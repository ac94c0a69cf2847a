// Collects the threads that a search finds from the candidates of the index, which come newest first.
import { type Mark, marksOf, snippetOf } from '../../../messages/search/search-marks.ts';
import type { SearchQuery } from '../../../messages/search/search-query.ts';
import type { FoundMessage, FoundThread } from '../../message-search.ts';
import type { StopReason } from '../../runs.ts';
import type { ThreadStatus } from '../../threads.ts';
import { contentOf } from '../database/json-column.ts';
import type { PackedText } from '../database/packed-text.ts';
import { searchableMessage } from './searchable-message.ts';

export interface Candidate {
  readonly doc_id: number;
  readonly thread_id: string;
  readonly display_name: string | null;
  readonly status: ThreadStatus;
  readonly created_at: number;
  readonly updated_at: number;
  /** Of the message; `null` for a title. */
  readonly seq: number | null;
  readonly run_id: string | null;
  readonly event_type: string | null;
  readonly content_format: 'text' | 'json' | null;
  readonly content: PackedText | null;
  readonly said_at: number | null;
  readonly is_replaced: number | null;
  readonly stop_reason: StopReason | null;
}

/** Runs whose messages no listing shows, so the search does not find them either. */
const UNLISTED: ReadonlySet<StopReason> = new Set<StopReason>(['rolled_back', 'replaced']);
/** Number of messages shown of each thread. */
const MESSAGES_SHOWN = 3;

export class FoundThreads {
  readonly #query: SearchQuery;
  readonly #most: number;
  readonly #found = new Map<string, FoundThread>();
  readonly #closed = new Set<string>();

  constructor(query: SearchQuery, most: number) {
    this.#query = query;
    this.#most = most;
  }

  all(): readonly FoundThread[] {
    return [...this.#found.values()];
  }

  /** Returns the threads of which no more messages are needed. */
  closed(): readonly string[] {
    return [...this.#closed];
  }

  /** Returns `false` when there are enough threads. All titles must be added before the first message. */
  addTitle(row: Candidate): boolean {
    if (this.#found.size >= this.#most) return false;
    const marks = this.#titleMarks(row);
    if (marks === undefined) return true;
    this.#found.set(row.thread_id, toThread(row, marks, []));
    this.#closed.add(row.thread_id);
    return true;
  }

  addMessage(row: Candidate): boolean {
    const thread = this.#found.get(row.thread_id);
    if (thread === undefined && this.#found.size >= this.#most) return false;
    if (this.#closed.has(row.thread_id)) return true;
    // It is listed among the titles, on whichever page that is.
    if (thread === undefined && this.#titleMarks(row) !== undefined) this.#closed.add(row.thread_id);
    else this.#show(row, thread?.messages ?? []);
    return true;
  }

  #titleMarks({ display_name: title }: Candidate): readonly Mark[] | undefined {
    return title === null ? undefined : marksOf(title, this.#query);
  }

  #show(row: Candidate, before: readonly FoundMessage[]): void {
    const message = toMessage(row, this.#query);
    if (message === undefined) return;
    const messages = [...before, message];
    this.#found.set(row.thread_id, toThread(row, [], messages));
    if (messages.length >= MESSAGES_SHOWN) this.#closed.add(row.thread_id);
  }
}

/** Returns a thread that was found by its title, with those of the messages that match too. */
export function withMessages(
  thread: FoundThread,
  rows: readonly Candidate[],
  query: SearchQuery,
): FoundThread {
  const messages = rows.flatMap((row) => toMessage(row, query) ?? []);
  return { ...thread, messages: messages.slice(0, MESSAGES_SHOWN) };
}

function toThread(
  row: Candidate,
  titleMarks: readonly Mark[],
  messages: readonly FoundMessage[],
): FoundThread {
  return {
    threadId: row.thread_id,
    title: row.display_name,
    titleMarks,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messages,
  };
}

function toMessage(row: Candidate, query: SearchQuery): FoundMessage | undefined {
  if (row.seq === null || row.run_id === null || row.event_type === null) return undefined;
  if (row.is_replaced !== 0) return undefined;
  if (row.stop_reason !== null && UNLISTED.has(row.stop_reason)) return undefined;
  const message = searchableMessage(row.event_type, contentOf(row.content, row.content_format));
  const marks = message && marksOf(message.text, query);
  if (message === undefined || marks === undefined) return undefined;
  return {
    runId: row.run_id,
    seq: row.seq,
    messageId: message.messageId,
    type: message.type,
    createdAt: row.said_at ?? 0,
    snippet: snippetOf(message.text, marks),
  };
}
