// Which questions of an earlier run a run answers when it begins.

import type { RunRecord } from '../../../storage/runs.ts';
import type { Repositories } from '../../../storage/storage.ts';
import type { LoggedEvent, StateWritten } from '../../log/log-event.ts';
import { answersOf, pendingTasks } from '../../request/starting-point.ts';
import { fromKwargs } from '../../request/stored-request.ts';

/** The step of the first checkpoint of a thread. */
const FIRST_STEP = -1;

/** Whether the state is that of an earlier run, shown again because this one goes on from there. */
export function isShownAgain({ source, parentId, step }: StateWritten): boolean {
  return source === 'input' && parentId === null && step > FIRST_STEP;
}

/**
 * `logged` is the first state that the run shows; none for a run that answers nothing, as one does whose question another
 * run has answered before it.
 */
export async function answeredInterrupts(
  { checkpoints }: Repositories,
  run: RunRecord,
  { event }: LoggedEvent,
): Promise<readonly string[]> {
  const { command, answers: intended } = fromKwargs(run.kwargs);
  if (command?.resume === undefined || event.type !== 'state') return [];
  const baseId = isShownAgain(event) ? event.checkpointId : event.parentId;
  const base = baseId === null ? undefined : await checkpoints.get(run.threadId, baseId);
  if (base === undefined) return [];
  const answers = answersOf(base, command);
  const asked = pendingTasks(base.tasks).flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
  // An answer that names no question is for those of the checkpoint that it was given to, and for no later one.
  const isLate = intended !== undefined && intended !== baseId;
  const { value } = command.resume;
  return asked.filter((id) => answers.has(id) && !(isLate && answers.get(id) === value));
}
