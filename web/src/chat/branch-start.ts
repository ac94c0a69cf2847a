// Where what a person sends belongs: to the end of the thread, or to an earlier place of it.
import type { Api } from '../api/api.ts';
import type { Checkpoint } from '../api/shapes.ts';
import { type BranchPoint, findBranchPoint } from './branch-point.ts';
import { readMessage } from './message-view.ts';
import type { Submission } from './submission.ts';

interface Place {
  readonly api: Api;
  readonly threadId: string | undefined;
  /** The last message of the person. */
  readonly question: string | undefined;
}

/** Undefined for what goes on where the thread stands. */
export async function branchStart(
  { api, threadId, question }: Place,
  submission: Submission,
): Promise<BranchPoint | undefined> {
  if (threadId === undefined || submission.kind === 'answer') return undefined;
  if (submission.kind === 'message') {
    const head = await api.head(threadId);
    return findBranchPoint({ api, threadId, head, messageId: submission.replaces, place: 'before' });
  }
  const head = await api.head(threadId);
  const messageId = submission.question ?? (await questionToRepeat({ api, threadId, question }, head));
  if (messageId === undefined) return undefined;
  return findBranchPoint({ api, threadId, head, messageId, place: 'at' });
}

/** Going on after a complete answer would only add to it: the question is answered anew instead. */
async function questionToRepeat(
  { api, threadId, question }: Place & { readonly threadId: string },
  head: Checkpoint,
): Promise<string | undefined> {
  if (head.next.length > 0) return undefined;
  const last = (await api.messagesAt(threadId, head.checkpoint_id)).at(-1);
  return readMessage(last, 0)?.kind === 'ai' ? question : undefined;
}
