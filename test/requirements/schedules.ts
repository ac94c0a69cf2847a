// What schedules promise, by the ids that tests cite.
export const scheduleRequirements = {
  'schedules.crud': 'A person makes, reads, changes and deletes schedules; each says when it runs next.',
  'schedules.own': 'A schedule of somebody else is an absent one, and so are its runs.',
  'schedules.bad':
    'What is no time, no time zone, comes never, too often, or more than ten years from now is a 422 that says what to do.',
  'schedules.limit': 'A person has schedules.max_per_user schedules at most.',
  'schedules.fires':
    'A slot becomes one run of the named agent with the prompt, on a new thread or on the one that the schedule names.',
  'schedules.once': 'A schedule with run_at runs once, and is finished then.',
  'schedules.overlap':
    'While a run of the schedule has not ended, its slots are skipped, and the history says so.',
  'schedules.pause': 'A paused schedule does not run; resumed, it goes on with the next slot from then.',
  'schedules.now': 'A schedule runs when somebody asks for it, paused or not, beside its slots.',
  'schedules.history':
    'The history has each slot with its run, its thread and how it ended, or why there was none, page by page.',
  'schedules.gone':
    'A schedule whose thread or agent is not there any more pauses itself, says why, and starts nothing.',
  'schedules.clock': 'A clock that is set back runs no slot a second time.',
} as const;
