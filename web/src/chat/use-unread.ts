// What a person has sent and the agent has not read yet: shown as a part of the conversation, or as what waits for it.
import { useEffect, useMemo } from 'react';
import type { QueuedMessage, ThreadRuns } from '../api/run-calls.ts';
import { readSentFiles, type SentFile, toSentFile } from '../files/sent-file.ts';
import type { OutboxItem } from '../outbox/outbox.ts';
import { useServices } from '../services.tsx';
import { idOf } from './branch-point.ts';
import { newMessage } from './submission.ts';

export interface Unread {
  readonly id: string;
  readonly text: string;
  readonly files: readonly SentFile[];
  readonly state: /** The service has it; it is read after what runs now. */
    | { readonly kind: 'queued'; readonly runId: string }
    | { readonly kind: 'sending' }
    /** In this browser. */
    | { readonly kind: 'waiting'; readonly item: OutboxItem }
    | { readonly kind: 'refused'; readonly item: OutboxItem; readonly reason: string };
}

interface UnreadOptions {
  readonly items: readonly OutboxItem[];
  readonly messages: readonly unknown[];
  readonly runs: ThreadRuns | undefined;
  /** Something is being answered. */
  readonly isStreaming: boolean;
  /** Whether what the ended run said would be among the messages. */
  readonly hasRead: (runId: string) => boolean;
}

const NOTHING: readonly QueuedMessage[] = [];

export function useUnread({ items, messages, runs, isStreaming, hasRead }: UnreadOptions) {
  const { outbox } = useServices();
  const queued = runs?.queued ?? NOTHING;
  const latest = runs?.latest?.run_id;
  const said = useMemo(() => new Set(messages.map(idOf)), [messages]);
  const waiting = queued.filter(({ messageId }) => !said.has(messageId));
  const listed = new Set(waiting.map(({ messageId }) => messageId));
  // One that ended before its thread was read is not said yet. Any other one was withdrawn, or is in the past.
  const isOver = (runId: string) =>
    runs?.ended.has(runId) === true && (runs.latest?.run_id !== runId || hasRead(runId));
  const arrived = items.filter(
    (it) => it.state === 'taken' && (said.has(it.id) || listed.has(it.id) || isOver(it.runId)),
  );
  const mine = items.filter((it) => !arrived.includes(it));
  useEffect(() => {
    for (const { id } of arrived) outbox.remove(id);
  });

  // What is read next, or as good as: it begins a turn.
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
    /** With those that begin a turn. */
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
