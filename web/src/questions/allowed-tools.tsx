// Tools that the person always allows in one chat, stored in this browser. The service continues to ask, and
// the page answers.
import { ShieldCheck, X } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import { toolWords } from '../conversation/tool-words.ts';
import type { Conversation } from '../conversation/use-conversation.ts';
import type { Decision, Waiting } from '../conversation/waiting.ts';
import { type OwnStorage, ownStorage } from '../services/own-storage.ts';

const PREFIX = 'allowed-tools:';
const CHANGED = 'allowedtoolschange';
const NONE = '[]';

export interface AllowedTools {
  readonly names: readonly string[];
  readonly allow: (name: string) => void;
  /** Makes the tool require approval again. */
  readonly revoke: (name: string) => void;
}

/** Stores the tools by thread: a copy or an imported thread has another id and allows nothing. */
export function useAllowedTools(userId: string, threadId: string | undefined): AllowedTools {
  const storage = ownStorage(userId);
  const key = `${PREFIX}${threadId ?? ''}`;
  const kept = useSyncExternalStore(subscribe, () => storage.get(key) ?? NONE);
  const names = threadId === undefined ? [] : read(kept);
  return {
    names,
    allow: (name) => keep(storage, key, [...new Set([...names, name])]),
    revoke: (name) =>
      keep(
        storage,
        key,
        names.filter((it) => it !== name),
      ),
  };
}

function keep(storage: OwnStorage, key: string, names: readonly string[]): void {
  storage.set(key, names.length === 0 ? undefined : JSON.stringify(names));
  dispatchEvent(new Event(CHANGED));
}

function read(kept: string): readonly string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(kept));
  } catch {
    return [];
  }
}

/** The `storage` event reports changes of other tabs. */
function subscribe(listener: () => void): () => void {
  addEventListener(CHANGED, listener);
  addEventListener('storage', listener);
  return () => {
    removeEventListener(CHANGED, listener);
    removeEventListener('storage', listener);
  };
}

/**
 * Approves allowed calls, each question once. Only the visible tab does so, so that one of several tabs
 * answers.
 */
export function useAutomaticApproval(
  { waiting, phase, answer }: Pick<Conversation, 'waiting' | 'phase' | 'answer'>,
  { names }: Pick<AllowedTools, 'names'>,
): void {
  const answered = useRef<string>(undefined);
  const isAllowed = phase === 'idle' && isAllowedBy(waiting, names);
  useEffect(() => {
    if (!isAllowed || waiting?.kind !== 'approval' || document.visibilityState !== 'visible') return;
    if (waiting.id === answered.current) return;
    answered.current = waiting.id;
    const decisions = waiting.actions.map((): Decision => ({ type: 'approve' }));
    answer({ decisions });
  }, [isAllowed, waiting, answer]);
}

/**
 * Whether the page may answer. The person answers questions of a sub-agent, and those whose last answer was
 * rejected.
 */
function isAllowedBy(waiting: Waiting | undefined, names: readonly string[]): boolean {
  if (waiting?.kind !== 'approval' || waiting.id === undefined || waiting.asker.length > 0) return false;
  if (waiting.problem !== undefined) return false;
  return waiting.actions.every(({ name, allowed }) => names.includes(name) && allowed.includes('approve'));
}

export function AllowedToolsNote({ names, revoke }: Pick<AllowedTools, 'names' | 'revoke'>) {
  if (names.length === 0) return null;
  return (
    <section
      aria-label="Always allowed in this chat"
      className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1.5 px-1 text-[0.8125rem] text-muted-foreground"
    >
      <span className="flex items-center gap-1.5">
        <ShieldCheck aria-hidden className="size-3.5 shrink-0" />
        Always allowed in this chat:
      </span>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => revoke(name)}
          aria-label={`Ask again before: ${toolWords(name)}`}
          title="Ask again"
          className="flex min-w-0 items-center gap-1 rounded-full border border-border bg-surface px-2.5 py-1 hover:text-foreground pointer-coarse:min-h-10"
        >
          <span className="truncate">{toolWords(name)}</span>
          <X aria-hidden className="size-3.5 shrink-0" />
        </button>
      ))}
    </section>
  );
}
