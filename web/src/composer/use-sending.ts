// Sends the person's messages, and moves an unsent message back into the composer.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Uploaded } from '../api/file-shapes.ts';
import type { Unread } from '../conversation/unread.ts';
import type { Conversation } from '../conversation/use-conversation.ts';
import { ownStorage } from '../services/own-storage.ts';
import { useServices } from '../services/services.tsx';
import type { Attachments } from './use-attachments.ts';
import { type Draft, leaveDraft, useIsDraftEmpty } from './use-draft.ts';

interface Words {
  readonly text: string;
  /**
   * `written` is the composer's text with its files. `said` is the text of a button, and the composer keeps
   * its own.
   */
  readonly kind: 'written' | 'said';
}

interface SendingOptions {
  /** False until the agent is known: a chat that was just opened may not have the default one. */
  readonly isKnown: boolean;
  readonly takeFiles: () => readonly Uploaded[];
  readonly clearBox: () => void;
  readonly send: (text: string, files: readonly Uploaded[]) => void;
}

/**
 * Returns the function that sends. A message that has to wait stays in the composer, so that closing the page
 * loses nothing.
 */
export function useSending({ isKnown, takeFiles, clearBox, send }: SendingOptions): (words: Words) => void {
  const [held, setHeld] = useState<Words>();
  const sendNow = ({ text, kind }: Words) => {
    send(text, kind === 'written' ? takeFiles() : []);
    if (kind === 'written') clearBox();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: sent once, with the values of that moment.
  useEffect(() => {
    if (!isKnown || held === undefined) return;
    setHeld(undefined);
    sendNow(held);
  }, [isKnown, held]);
  return (words) => (isKnown ? sendNow(words) : setHeld(words));
}

interface TakenBackOptions {
  readonly conversation: Conversation;
  readonly threadId: string | undefined;
  readonly userId: string;
  readonly draft: Draft;
  readonly attachments: Pick<Attachments, 'giveBack'>;
}

interface TakenBack {
  /** Why the message cannot be sent. */
  readonly problem: string | undefined;
  readonly forgetProblem: () => void;
  /** Moves the message into the composer, before the text that is already there. */
  readonly take: (unread: Unread) => void;
  readonly discard: (unread: Unread) => void;
}

const TOO_LATE = 'The message could not be withdrawn.';

export function useTakenBack(options: TakenBackOptions): TakenBack {
  const { conversation, threadId, userId, draft, attachments } = options;
  const { outbox } = useServices();
  const navigate = useNavigate();
  // Stored with the draft: the text must not lose its reason when the view of a chat is rebuilt.
  const [storage] = useState(() => ownStorage(userId));
  const name = `problem:${threadId ?? 'new'}`;
  const [problem, show] = useState(() =>
    draft.text() === '' ? undefined : (storage.get(name) ?? undefined),
  );
  const setProblem = (reason: string | undefined): void => {
    storage.set(name, reason);
    show(reason);
  };

  const remove = async ({ id, state }: Unread): Promise<void> => {
    if (state.kind === 'queued') await conversation.withdraw(state.runId);
    outbox.remove(id);
  };
  /** Leaves a new chat, which does not exist without its first message. Returns whether it left. */
  const leave = async ({ state }: Unread, words: string): Promise<boolean> => {
    const isFirst = 'item' in state && state.item.isNew && conversation.turns.length === 0;
    if (!isFirst || conversation.unread.length > 1 || threadId === undefined) return false;
    leaveDraft(userId, threadId, '');
    leaveDraft(userId, undefined, words);
    await navigate({ to: '/' });
    return true;
  };
  const take = async (unread: Unread): Promise<void> => {
    const { text, files, state } = unread;
    await remove(unread);
    const words = draft.text().trim() === '' ? text : `${text}\n\n${draft.text()}`;
    if (await leave(unread, words)) return;
    draft.change(words);
    attachments.giveBack('item' in state ? state.item.files : files.map(toUploaded));
    setProblem(state.kind === 'refused' ? `Your message was not sent. ${state.reason}` : undefined);
  };
  const discard = async (unread: Unread): Promise<void> => {
    await remove(unread);
    await leave(unread, draft.text());
  };
  const say = () => show(TOO_LATE);

  const refused = conversation.unread.find(({ state }) => state.kind === 'refused');
  const comesBack = useIsDraftEmpty(draft) ? refused : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each comes back once.
  useEffect(() => {
    if (comesBack !== undefined) take(comesBack).catch(reportError);
  }, [comesBack?.id]);
  return {
    problem,
    forgetProblem: () => setProblem(undefined),
    take: (unread) => void take(unread).catch(say),
    discard: (unread) => void discard(unread).catch(say),
  };
}

function toUploaded({ filename, size, path }: Unread['files'][number]): Uploaded {
  return { filename, size, virtual_path: path };
}
