// A task in the background as the wire shows it.
import { z } from 'zod';
import type { ListedBackgroundTask } from '../../storage/background-tasks.ts';
import { runIdField, threadIdField, timeField, timestamp } from './wire-fields.ts';

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
    thread_id: threadIdField.describe('Where it works: a thread of its own, which no list shows'),
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

export function presentBackgroundTask(task: ListedBackgroundTask): z.output<typeof backgroundTaskSchema> {
  return {
    task_id: task.taskId,
    subagent_type: task.subagent,
    description: task.description,
    status: statusOf(task),
    parent_run_id: task.parentRunId,
    tool_call_id: task.callId,
    thread_id: task.threadId,
    run_id: task.runId,
    created_at: timestamp(task.createdAt),
    updated_at: timestamp(task.updatedAt),
  };
}

/** One without a thread that could hear of it is shown to nobody. */
function statusOf({ state, runStatus }: ListedBackgroundTask): (typeof STATUSES)[number] {
  if (state === 'orphaned') return 'cancelled';
  if (state !== 'running') return state;
  return runStatus === 'pending' || runStatus === 'running' ? 'running' : 'ended';
}
