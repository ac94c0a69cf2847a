// Requirements of background tasks, by the ids that tests cite.
export const backgroundRequirements = {
  'background.outlives':
    'A background task returns its call at once and continues after the reply; its result arrives as a message in a new run of the thread.',
  'background.marked':
    'The message with a result is marked as not written by the person, is hidden in chats, and its text cannot break out of its marks.',
  'background.files': 'A background task works with the files of the thread that started it.',
  'background.same': 'A background task has the model, the agent and the options of the run that started it.',
  'background.limits':
    'The open tasks of a thread are limited; tasks and sub-agents cannot start background tasks, and the configuration can disable them.',
  'background.hidden':
    'The thread of a task does not appear in any list, search, count, export or stream of threads.',
  'background.cancel':
    'Cancelling a run leaves its tasks running; a task has routes to list and cancel it, and a cancelled task reports no result.',
  'background.waits': 'A result waits while a run is active and while an interrupt is open.',
  'background.failed': 'A failed task is reported in plain words.',
  'background.deleted':
    'Deleting a thread ends its tasks without a report and deletes their threads; deleting an account deletes their rows.',
  'background.free': 'A run without a background task makes no database query for one.',
  'background.kill':
    'If the process is killed between the call, the run, the end and the report of a task, the task is done and reported once.',
  'background.processes': 'With two processes, one starts a task, and one reports it.',
  'background.storage':
    'A task is written in one transaction with the result of its call; only one process gets it, and a cancelled task stays cancelled.',
} as const;
