// Messages that do not go on their way: the person takes them back, or the service refused them.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Uploaded } from '../api/file-shapes.ts';
import type { Attachments } from '../files/use-attachments.ts';
import { useServices } from '../services.tsx';
import type { Conversation } from './use-conversation.ts';
import { type Draft, leaveDraft, useIsDraftEmpty } from './use-draft.ts';
import type { Unread } from './use-unread.ts';

interface TakenBackOptions {
  readonly conversation: Conversation;
  readonly threadId: string | undefined;
  readonly userId: string;
  readonly draft: Draft;
  readonly attachments: Pick<Attachments, 'giveBack'>;
}

interface TakenBack {
  /** What is to be said about it. */
  readonly problem: string | undefined;
  readonly forgetProblem: () => void;
  /** Into the box to write in, before what is there. */
  readonly take: (unread: Unread) => void;
  readonly discard: (unread: Unread) => void;
}

const TOO_LATE = 'The message could not be taken back.';

export function useTakenBack(options: TakenBackOptions): TakenBack {
  const { conversation, threadId, userId, draft, attachments } = options;
  const { outbox } = useServices();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();

  const remove = async ({ id, state }: Unread): Promise<void> => {
    if (state.kind === 'queued') await conversation.withdraw(state.runId);
    outbox.remove(id);
  };
  /** A chat that the message would have made is none without it. */
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
  const say = () => setProblem(TOO_LATE);

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
