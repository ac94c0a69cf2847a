// The background tasks of a thread.
import { z } from 'zod';
import type { BackgroundTaskRuns } from '../../runs/tasks/background-tasks.ts';
import { queryLimit, queryOffset } from '../api/query-list.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { backgroundTaskSchema, presentBackgroundTask } from '../presenters/background-task.ts';

const listQuery = z.object({
  limit: queryLimit('Tasks', { max: 200, usual: 50 }),
  offset: queryOffset('Tasks'),
});

const path = '/api/threads/{thread_id}/tasks';

export function backgroundTaskRoutes(
  routes: RouteTable,
  {
    backgroundTasks,
  }: {
    readonly backgroundTasks: Pick<BackgroundTaskRuns, 'cancel'>;
  },
): void {
  routes.get(path, {
    operationId: 'listBackgroundTasks',
    summary: 'Tasks that the agent of the thread gave to sub-agents in the background, newest first',
    thread: 'read',
    query: listQuery,
    responses: ok('The tasks', z.object({ tasks: z.array(backgroundTaskSchema) })),
    handle: async (c, { query }) => {
      const { repositories, thread } = c.var;
      const tasks = await repositories.backgroundTasks.list(thread.threadId, query);
      return c.json({ tasks: tasks.map(presentBackgroundTask) });
    },
  });
  routes.post(`${path}/{task_id}/cancel`, {
    operationId: 'cancelBackgroundTask',
    errors: ['not_found'],
    summary:
      'Cancel a background task: its result is not reported. A task that was already reported or cancelled is unchanged',
    thread: 'write',
    responses: ok('The task', backgroundTaskSchema),
    handle: async (c) => {
      const { repositories, thread } = c.var;
      const taskId = pathParam(c, 'task_id');
      const task = await backgroundTasks.cancel(repositories, thread.threadId, taskId);
      return c.json(presentBackgroundTask(task));
    },
  });
}
