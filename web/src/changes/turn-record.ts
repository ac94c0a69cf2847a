// What is recorded of the turn that a card stands in: its calls, and the runs that tell what they did to files.
import { useQueries } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { FileChange } from '../api/change-shapes.ts';
import type { ToolCallView } from '../chat/message-view.ts';
import { useServices } from '../services.tsx';
import { LOOKING } from './may-change-files.ts';
import { runChangesQuery } from './run-changes-query.ts';

interface TurnRecord {
  readonly threadId: string | undefined;
  /** None while the turn is not over: what runs did to files is told when they have ended. */
  readonly runIds: readonly string[];
  readonly calls: readonly ToolCallView[];
}

const TurnRecordContext = createContext<TurnRecord>({ threadId: undefined, runIds: [], calls: [] });

export const TurnRecordProvider = TurnRecordContext.Provider;

/** What one call did to its file; undefined where that is not known, or another call may have had a part in it. */
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

/** A call without a path, as a command, may change any file. */
function mayShare({ id, name, args }: ToolCallView, call: ToolCallView): boolean {
  if (id === call.id || LOOKING.has(name)) return false;
  return typeof args.path !== 'string' || args.path === call.args.path;
}
