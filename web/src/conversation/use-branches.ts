// The branches of the shown conversation, and where a submission starts a new one.
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../api/api.ts';
import type { Checkpoint } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import {
  type BranchPoint,
  type Fork,
  findBranchPoint,
  forksOn,
  idOf,
  isElsewhere,
  pathTo,
} from './branches.ts';
import { readMessage } from './message-view.ts';
import type { Submission } from './submission.ts';

export interface Branches {
  /** Keyed by the first message of this branch after the fork; `END` when it has none yet. */
  readonly forks: ReadonlyMap<string, Fork>;
  /** Whether the run belongs to another branch. */
  readonly isElsewhere: (runId: string) => boolean;
}

interface BranchesOptions {
  readonly threadId: string | undefined;
  /** The newest checkpoint that is shown. Undefined while it changes. */
  readonly head: Checkpoint | undefined;
  readonly messages: readonly unknown[];
}

export const END = 'end';

/** Goes back one page of checkpoints. They never change, so each is fetched once. */
export function useBranches({ threadId, head, messages }: BranchesOptions): Branches {
  const { api } = useServices();
  const older = useQuery({
    queryKey: ['checkpoints-before', threadId, head?.checkpoint_id],
    queryFn: async () =>
      threadId === undefined || head === undefined
        ? []
        : (await api.checkpointsBefore(threadId, head.checkpoint_id)).checkpoints,
    enabled: threadId !== undefined && head !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const tree = useMemo(() => treeOf(head, older), [head, older]);
  const starts = useQueries({
    queries: tree.forks.map(({ checkpointId }) => ({
      queryKey: ['message-ids-at', threadId, checkpointId],
      queryFn: async () =>
        threadId === undefined ? [] : (await api.messagesAt(threadId, checkpointId)).map(idOf),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (results) => results.map((it) => it.data),
  });
  return useMemo(() => {
    const forks = new Map<string, Fork>();
    for (const [index, fork] of tree.forks.entries()) {
      const start = starts[index];
      if (start === undefined) continue;
      const known = new Set(start);
      const first = messages.find((it) => !known.has(idOf(it)));
      forks.set((first === undefined ? undefined : idOf(first)) ?? END, fork);
    }
    return { forks, isElsewhere: tree.isElsewhere };
  }, [tree, starts, messages]);
}

function treeOf(head: Checkpoint | undefined, older: readonly Checkpoint[] | undefined) {
  if (head === undefined || older === undefined) return { forks: [], isElsewhere: () => false };
  const checkpoints = [head, ...older];
  const path = pathTo(head.checkpoint_id, checkpoints);
  return {
    forks: forksOn(path, checkpoints),
    isElsewhere: (runId: string) => isElsewhere(runId, path, checkpoints),
  };
}

interface Place {
  readonly api: Api;
  readonly threadId: string | undefined;
  /** The last message of the person. */
  readonly question: string | undefined;
}

/** Returns where a new branch starts. Undefined when the submission continues at the head of the thread. */
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

/**
 * Returns the question of a complete reply. Continuing after such a reply would only add to it, so the agent
 * replies to its question again instead.
 */
async function questionToRepeat(
  { api, threadId, question }: Place & { readonly threadId: string },
  head: Checkpoint,
): Promise<string | undefined> {
  if (head.next.length > 0) return undefined;
  const last = (await api.messagesAt(threadId, head.checkpoint_id)).at(-1);
  return readMessage(last, 0)?.kind === 'ai' ? question : undefined;
}
