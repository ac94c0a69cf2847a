// The calls about threads, their states and their branches.
import * as z from 'zod/mini';
import { type Call, read, threadPath } from './call.ts';
import {
  type Checkpoint,
  type CheckpointPage,
  checkpointSchema,
  type Found,
  foundSchema,
  listedThreadSchema,
  stateSchema,
  type Thread,
  threadSchema,
} from './shapes.ts';

export interface ThreadPage {
  readonly threads: readonly Thread[];
  /** The offset of the next page. Undefined on the last one. */
  readonly next: number | undefined;
}

const PAGE_SIZE = 100;
const suggestionsSchema = z.object({ suggestions: z.array(z.string()) });
/** The longest search that the service accepts, in characters. */
const MOST_WORDS = 500;

export function createThreadCalls(call: Call) {
  return {
    createThread: async () => read(await call('POST', '/api/threads', {}), threadSchema),
    async searchThreads(offset: number): Promise<ThreadPage> {
      const response = await call('POST', '/api/threads/search', {
        limit: PAGE_SIZE,
        offset,
        sort_by: 'state_updated_at',
      });
      const threads = await read(response, z.array(listedThreadSchema));
      return { threads, next: threads.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE };
    },
    /** Finds threads with these words in their title or in a message. */
    findThreads: async (words: string): Promise<Found> =>
      read(
        await call('GET', `/api/search?${new URLSearchParams({ q: words.slice(0, MOST_WORDS) })}`),
        foundSchema,
      ),
    suggestionsConfig: async () =>
      read(await call('GET', '/api/suggestions/config'), z.object({ enabled: z.boolean() })),
    /** Suggestions for the person's next message. */
    suggestions: async (threadId: string): Promise<readonly string[]> =>
      (await read(await call('POST', `${threadPath(threadId)}/suggestions`, {}), suggestionsSchema))
        .suggestions,
    renameThread: (threadId: string, title: string) =>
      call('POST', `${threadPath(threadId)}/state`, { values: { title } }),
    /** Creates an independent thread with the current conversation but without the files. */
    copyThread: async (threadId: string) =>
      read(await call('POST', `${threadPath(threadId)}/copy`), threadSchema),
    deleteThread: (threadId: string) => call('DELETE', `${threadPath(threadId)}?force=true`),
    /** Checks that the thread exists, and returns the address of its zip. */
    threadPackage: async (threadId: string): Promise<string> => {
      await call('GET', threadPath(threadId));
      return `${threadPath(threadId)}/export`;
    },
  };
}

export function createStateCalls(call: Call) {
  return {
    /** The head of the thread. */
    head: async (threadId: string): Promise<Checkpoint> =>
      read(await call('GET', `${threadPath(threadId)}/state`), checkpointSchema),
    /** Returns checkpoints older than the given one, without their messages. */
    async checkpointsBefore(threadId: string, checkpointId: string): Promise<CheckpointPage> {
      const body = { limit: PAGE_SIZE, before: checkpointId };
      const response = await call('POST', `${threadPath(threadId)}/history`, body);
      const checkpoints = await read(response, z.array(checkpointSchema));
      return { checkpoints, isLast: checkpoints.length < PAGE_SIZE };
    },
    /** Returns the unparsed messages at that checkpoint. */
    async messagesAt(threadId: string, checkpointId: string): Promise<readonly unknown[]> {
      const path = `${threadPath(threadId)}/state/${encodeURIComponent(checkpointId)}`;
      return (await read(await call('GET', path), stateSchema)).values.messages ?? [];
    },
    /** Returns the messages of a sub-agent of the thread. Empty when the sub-agent is unknown. */
    async messagesOfAgent(threadId: string, namespace: string): Promise<readonly unknown[]> {
      const path = `/api/graph/threads/${encodeURIComponent(threadId)}/history`;
      const body = { limit: 1, checkpoint: { checkpoint_ns: namespace } };
      const [newest] = await read(await call('POST', path, body), z.array(stateSchema));
      return newest?.values.messages ?? [];
    },
    /** Makes the branch of the checkpoint the one that the thread shows. */
    showBranch: (threadId: string, { checkpoint_id, title }: Checkpoint) =>
      call('POST', `${threadPath(threadId)}/state`, { values: title ? { title } : {}, checkpoint_id }),
  };
}
