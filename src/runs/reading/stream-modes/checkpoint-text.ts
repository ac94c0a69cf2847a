// A checkpoint as `checkpoints` and `debug` frames show it.
import type { JsonObject } from '../../../messages/message.ts';
import type { ThreadState } from '../../../messages/thread-state.ts';
import type { StateWritten } from '../../log/log-event.ts';
import type { FrameContext } from './frame-context.ts';
import { type FrameText, valuesText, within } from './frame-text.ts';

export function checkpointText(
  event: StateWritten,
  { threadId, namespace }: FrameContext,
  state: ThreadState,
): FrameText {
  const { checkpointId, parentId, source, step, next } = event;
  const at = (id: string): JsonObject => ({
    thread_id: threadId,
    checkpoint_ns: namespace,
    checkpoint_id: id,
  });
  const config = (id: string | null): JsonObject | null => (id === null ? null : { configurable: at(id) });
  const place = (id: string | null): JsonObject | null =>
    id === null ? null : { ...at(id), checkpoint_map: null };
  const fields = {
    config: config(checkpointId),
    parent_config: config(parentId),
    checkpoint: place(checkpointId),
    parent_checkpoint: place(parentId),
    metadata: { source, step, parents: {} },
    next,
    tasks: waitingTasks(event),
  };
  return within('{"values":', valuesText(state), `,${JSON.stringify(fields).slice(1)}`);
}

/** Nodes that come next, or the one that waits for the person with what it asks. */
function waitingTasks({ checkpointId, taskId, node, next, interrupts = [] }: StateWritten): JsonObject[] {
  if (node !== null && interrupts.length > 0) return [waitingTask(taskId, node, interrupts)];
  return next.map((name) => waitingTask(`${checkpointId}:${name}`, name, []));
}

function waitingTask(id: string, name: string, interrupts: StateWritten['interrupts'] = []): JsonObject {
  return { id, name, path: ['__pregel_pull', name], interrupts };
}
