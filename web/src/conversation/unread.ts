// Messages that the agent has not read yet: in the outbox of this browser, or queued at the service.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Uploaded } from '../api/file-shapes.ts';
import type { QueuedMessage, ThreadRuns } from '../api/run-calls.ts';
import { newMessage, randomId, readSentFiles, type SentFile, toSentFile } from '../api/sent-message.ts';
import type { NewEntry, OutboxItem } from '../services/outbox.ts';
import { useServices } from '../services/services.tsx';
import { refreshThreads } from '../threads/thread-queries.ts';
import { NO_RUNS, runsOf } from '../threads/thread-runs.ts';
import { idOf } from './branches.ts';

export interface Unread {
  readonly id: string;
  readonly text: string;
  readonly files: readonly SentFile[];
  readonly state: /** The service has it; it is read after what runs now. */
    | { readonly kind: 'queued'; readonly runId: string }
    | { readonly kind: 'sending' }
    /** Only in this browser. */
    | { readonly kind: 'waiting'; readonly item: OutboxItem }
    | { readonly kind: 'refused'; readonly item: OutboxItem; readonly reason: string };
}

interface UnreadOptions {
  readonly items: readonly OutboxItem[];
  readonly messages: readonly unknown[];
  readonly runs: ThreadRuns | undefined;
  /** True while a reply is being written. */
  readonly isStreaming: boolean;
  /** Whether the messages include everything from the ended run. */
  readonly hasRead: (runId: string) => boolean;
}

const NOTHING: readonly QueuedMessage[] = [];

export function useUnread({ items, messages, runs, isStreaming, hasRead }: UnreadOptions) {
  const { outbox } = useServices();
  const queued = runs?.queued ?? NOTHING;
  const latest = runs?.latest?.run_id;
  const known = useMemo(() => new Set(messages.map(idOf)), [messages]);
  const waiting = queued.filter(({ messageId }) => !known.has(messageId));
  const listed = new Set(waiting.map(({ messageId }) => messageId));
  // If a run ended before the thread was read, its message is not known yet. Any other message was withdrawn
  // or is past.
  const isOver = (runId: string) =>
    runs?.ended.has(runId) === true && (runs.latest?.run_id !== runId || hasRead(runId));
  const arrived = items.filter(
    (it) => it.state === 'taken' && (known.has(it.id) || listed.has(it.id) || isOver(it.runId)),
  );
  const mine = items.filter((it) => !arrived.includes(it));
  useEffect(() => {
    for (const { id } of arrived) outbox.remove(id);
  });

  // The message that is read next already begins a turn.
  const next = mine.filter((it) => {
    if (it.state === 'taken' && it.runId === latest) return true;
    return !isStreaming && waiting.length === 0 && (it.state === 'taken' || it.state === 'sending');
  });
  const begun = next.map(({ id }) => id).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same messages are the same list.
  const shown = useMemo(
    () => (begun === '' ? messages : [...messages, ...next.map(toMessage)]),
    [messages, begun],
  );
  return {
    /** Includes the messages that begin a turn. */
    messages: shown,
    isBeingTaken: next.length > 0,
    unread: [...waiting.map(ofQueue), ...mine.filter((it) => !next.includes(it)).map(ofOutbox)],
  };
}

function toMessage({ id, text, files }: OutboxItem): unknown {
  return newMessage({ text, files: files.map(toSentFile) }, id);
}

function ofQueue({ messageId: id, runId, text, files }: QueuedMessage): Unread {
  return { id, text, files: readSentFiles(files ?? []), state: { kind: 'queued', runId } };
}

function ofOutbox(item: OutboxItem): Unread {
  const { id, text } = item;
  return { id, text, files: item.files.map(toSentFile), state: stateOf(item) };
}

function stateOf(item: OutboxItem): Unread['state'] {
  if (item.state === 'taken') return { kind: 'queued', runId: item.runId };
  if (item.state === 'sending') return { kind: 'sending' };
  if (item.state === 'waiting') return { kind: 'waiting', item };
  return { kind: 'refused', item, reason: item.refusal ?? '' };
}

/** A text and its files. */
export interface Written {
  readonly text: string;
  readonly files: readonly Uploaded[];
}

interface ThreadOutbox {
  readonly items: readonly OutboxItem[];
  readonly send: (written: Written, options: NewEntry['options']) => void;
}

interface ThreadOutboxOptions {
  readonly threadId: string | undefined;
  /** Called with the id of a new chat. */
  readonly onThreadCreated: (threadId: string) => void;
}

export function useThreadOutbox({ threadId, onThreadCreated }: ThreadOutboxOptions): ThreadOutbox {
  const { outbox } = useServices();
  const queryClient = useQueryClient();
  const [newThreadId] = useState(randomId);
  const target = threadId ?? newThreadId;
  const items = useSyncExternalStore(outbox.subscribe, outbox.items).filter((it) => it.threadId === target);
  const taken = items.findLast((it) => it.state === 'taken')?.runId;
  // The service may refuse a message that is being sent, and then there is no chat.
  const isCreated =
    threadId === undefined && items.some(({ state }) => state === 'taken' || state === 'waiting');
  useEffect(() => {
    if (isCreated) onThreadCreated(newThreadId);
  }, [isCreated, onThreadCreated, newThreadId]);
  useEffect(() => {
    if (taken === undefined) return;
    // Joins the run immediately if nothing else runs, as far as this page knows.
    queryClient.setQueryData<ThreadRuns>(runsOf(target), (it = NO_RUNS) => {
      if (it.active !== undefined || it.ended.has(taken)) return it;
      const active = { run_id: taken, status: 'pending' };
      return { ...it, active, latest: active };
    });
    queryClient.invalidateQueries({ queryKey: runsOf(target) }).catch(reportError);
    refreshThreads(queryClient).catch(reportError);
  }, [queryClient, target, taken]);
  return {
    items,
    send: ({ text, files }, options) => {
      const isNew = threadId === undefined || items.some((it) => it.isNew && it.state !== 'taken');
      outbox.add({ threadId: target, isNew, text, files: [...files], options });
    },
  };
}
