// A background task in its wire format.
import { z } from 'zod';
import type { ListedBackgroundTask } from '../../storage/background-tasks.ts';
import { presenterOf } from './presenter-of.ts';
import { runIdField, threadIdField, timeField } from './wire-fields.ts';

const STATUSES = ['waiting', 'running', 'ended', 'reported', 'cancelled'] as const;
const taskIdField = z.string().meta({ examples: ['01993f5a-b1c2-7e33-8d4f-1a2b3c4d5e6f'] });

export const backgroundTaskSchema = z
  .object({
    task_id: taskIdField,
    subagent_type: z.string(),
    description: z.string(),
    status: z
      .enum(STATUSES)
      .describe('`waiting` for its run; `ended`, but not yet reported to the thread; `reported` to it'),
    parent_run_id: runIdField.describe('The run that gave it'),
    tool_call_id: z.string(),
    thread_id: threadIdField.describe('Its own thread, which no listing shows'),
    run_id: runIdField.nullable().describe('Its run, once it has one'),
    created_at: timeField,
    updated_at: timeField,
  })
  .meta({
    id: 'BackgroundTask',
    examples: [
      {
        task_id: '01993f5a-b1c2-7e33-8d4f-1a2b3c4d5e6f',
        subagent_type: 'general-purpose',
        description: 'Compare the three drafts',
        status: 'running',
        parent_run_id: '01993f5a-9c04-7d11-8e6b-2a4c7f9d3b51',
        tool_call_id: 'call_1',
        thread_id: '01993f5a-b1c2-7e34-9e5a-2b3c4d5e6f70',
        run_id: '01993f5a-b1d0-7a01-8b2c-3d4e5f60718a',
        created_at: '2026-11-21T09:30:00.000Z',
        updated_at: '2026-11-21T09:30:01.000Z',
      },
    ],
  });

const present = presenterOf(backgroundTaskSchema);

export function presentBackgroundTask(task: ListedBackgroundTask): z.output<typeof backgroundTaskSchema> {
  const { subagent: subagentType, callId: toolCallId } = task;
  return present({ ...task, subagentType, toolCallId, status: statusOf(task) });
}

/**
 * Returns the status on the wire. An orphaned task, which no thread can be notified of, counts as cancelled.
 */
function statusOf({ state, runStatus }: ListedBackgroundTask): (typeof STATUSES)[number] {
  if (state === 'orphaned') return 'cancelled';
  if (state !== 'running') return state;
  return runStatus === 'pending' || runStatus === 'running' ? 'running' : 'ended';
}
