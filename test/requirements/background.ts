// What tasks in the background promise, by the ids that tests cite.
export const backgroundRequirements = {
  'background.outlives':
    'A task in the background answers its call at once and goes on behind the answer; its result comes as a message in a new run of the thread.',
  'background.marked':
    'The message of a result is marked as no words of the person, hidden in chats, and its text cannot break out of its marks.',
  'background.files': 'A task in the background works with the files of the thread that gave it.',
  'background.same':
    'A task in the background has the model, the agent and the choices of the run that gave it.',
  'background.limits':
    'So many tasks of a thread may be open at once; tasks and sub-agents begin none in the background, and the configuration takes it away.',
  'background.hidden': 'The thread of a task is in no list, search, count, export or stream of threads.',
  'background.cancel':
    'A cancelled run leaves its tasks; a task is listed and cancelled by its routes, and then nothing is told of it.',
  'background.waits': 'A result waits while a run goes on and while the person is asked something.',
  'background.failed': 'A task that fails is told in plain words.',
  'background.deleted':
    'With the thread its tasks end, and their threads go; nothing is told. With the account their rows go.',
  'background.free': 'A run without a task in the background makes no statement for one.',
  'background.kill':
    'Killed between its call, its run, its end and its report, a task is done and told of once.',
  'background.processes': 'Of two processes one begins a task, and one tells of it.',
  'background.storage':
    'A task is written with the result of its call; of several processes that find it one gets it, and what was cancelled stays so.',
} as const;
