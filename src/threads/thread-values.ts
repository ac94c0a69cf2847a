// Searches threads by the values of their states, and returns these values.
import { isDeepStrictEqual } from 'node:util';
import { createBreath } from '../breath.ts';
import { invalid } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject, roleOf } from '../messages/message.ts';
import type { ThreadState } from '../messages/thread-state.ts';
import type { Repositories } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';
import type { ThreadFilter, ThreadQuery, ThreadRecord } from '../storage/threads.ts';

const MOST_STATES = 500;
const MOST_BYTES = 64 * 1_048_576;

export function createThreadValues({ states }: { readonly states: ThreadStates }) {
  const stateOf = async (
    { checkpoints }: Repositories,
    { threadId, headCheckpointId }: ThreadRecord,
  ): Promise<ThreadState | undefined> =>
    headCheckpointId === null ? undefined : (await states.at(checkpoints, threadId, headCheckpointId))?.state;
  return {
    /**
     * Returns the threads of the query whose state has these values, all pages together. Objects need at least
     * the given fields; all other values must be equal. Reads every state that the rest of the query selects,
     * and throws `invalid` when these are too many.
     */
    async matching(
      repositories: Repositories,
      query: ThreadFilter & Pick<ThreadQuery, 'sortBy' | 'sortOrder'>,
      values: JsonObject,
    ): Promise<readonly ThreadRecord[]> {
      const threads = await repositories.threads.search({ ...query, limit: MOST_STATES + 1, offset: 0 });
      const tooMany = threads.length > MOST_STATES;
      const ids = threads.map(({ threadId }) => threadId);
      if (tooMany || (await repositories.checkpoints.headBytes(ids)) > MOST_BYTES)
        throw invalid(
          `A search by values reads the states of at most ${MOST_STATES} threads and ${MOST_BYTES / 1_048_576} MB. Narrow it by metadata, status or ids.`,
        );
      const breath = createBreath();
      const found: ThreadRecord[] = [];
      for (const thread of threads) {
        await breath();
        const state = await stateOf(repositories, thread);
        if (holds({ ...titleOf(thread), ...state?.values }, values)) found.push(thread);
      }
      return found;
    },
    /**
     * Returns the state with its messages as clients see them; only the title, if any, while the thread has no
     * state.
     */
    async valuesOf(repositories: Repositories, thread: ThreadRecord): Promise<object> {
      const state = await stateOf(repositories, thread);
      const messages = state?.messages.map((message) => ({ ...message, role: roleOf(message.type) }));
      return { ...titleOf(thread), ...state?.values, ...(messages && { messages }) };
    },
  };
}

export type ThreadValues = ReturnType<typeof createThreadValues>;

function titleOf({ displayName }: ThreadRecord): JsonObject {
  return displayName === null ? {} : { title: displayName };
}

function holds(value: Json | undefined, wanted: Json): boolean {
  if (!isJsonObject(wanted)) return isDeepStrictEqual(value, wanted);
  if (!isJsonObject(value)) return false;
  return Object.entries(wanted).every(
    ([key, child]) => Object.hasOwn(value, key) && holds(value[key], child),
  );
}
