// The record of the turn around a card: its calls, and the changes of its runs to files.
import { queryOptions, useQueries } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Api } from '../api/api.ts';
import type { FileChange } from '../api/change-calls.ts';
import type { ToolCallView } from '../conversation/message-view.ts';
import type { Turn } from '../conversation/turns.ts';
import { useServices } from '../services/services.tsx';

/** Tools that change no files of the thread. Any other tool may change some. */
const READ_ONLY_TOOLS: ReadonlySet<string> = new Set([
  'ls',
  'read_file',
  'glob',
  'grep',
  'view_image',
  'present_files',
  'ask_clarification',
  'web_fetch',
  'web_search',
  'write_todos',
  'skill_manage',
  'tool_search',
  'list_mcp_resources',
  'list_mcp_prompts',
]);

export function mayChangeFiles({ steps }: Turn): boolean {
  return steps.some(({ calls }) => calls.some(({ name }) => !READ_ONLY_TOOLS.has(name)));
}

export function runChangesQuery(api: Api, threadId: string, runId: string) {
  return queryOptions({
    queryKey: ['run-changes', threadId, runId],
    queryFn: () => api.runChanges(threadId, runId),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface TurnRecord {
  readonly threadId: string | undefined;
  /** Empty until the turn is over: the changes of a run are known only after it has ended. */
  readonly runIds: readonly string[];
  readonly calls: readonly ToolCallView[];
}

const TurnRecordContext = createContext<TurnRecord>({ threadId: undefined, runIds: [], calls: [] });

export const TurnRecordProvider = TurnRecordContext.Provider;

/**
 * Returns the change that one call made to its file. Undefined if unknown, or if another call may have
 * changed the file too.
 */
export function useChangeOf(call: ToolCallView): FileChange | undefined {
  const { api } = useServices();
  const { threadId = '', runIds, calls } = useContext(TurnRecordContext);
  const { path } = call.args;
  const isAlone = calls.some(({ id }) => id === call.id) && !calls.some((it) => mayShare(it, call));
  const asked = useQueries({
    queries: (isAlone ? runIds : []).map((runId) => runChangesQuery(api, threadId, runId)),
  });
  const found = asked.flatMap(({ data }) => data?.changes.filter((it) => it.path === path) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

/** Whether a call may change the same file. One without a path, such as a command, may change any file. */
function mayShare({ id, name, args }: ToolCallView, call: ToolCallView): boolean {
  if (id === call.id || READ_ONLY_TOOLS.has(name)) return false;
  return typeof args.path !== 'string' || args.path === call.args.path;
}
