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
  'schedules.zones':
    'Cron is read in the time zone of the schedule: when clocks change, a time of day runs once, and no hour is left out or run twice.',
  'schedules.missed':
    'Slots that passed while no process looked are left out, or made up for by one run, as the schedule says; the history has them.',
  'schedules.overlap':
    'While a run of the schedule has not ended, its slots are skipped, and the history says so.',
  'schedules.pause': 'A paused schedule does not run; resumed, it goes on with the next slot from then.',
  'schedules.now': 'A schedule runs when somebody asks for it, paused or not, beside its slots.',
  'schedules.history':
    'The history has each slot with its run, its thread and how it ended, or why there was none, page by page.',
  'schedules.approval': 'The history says that a run waits for an approval.',
  'schedules.webhook':
    'The webhook of a schedule is called with each of its runs, signed and repeated as those of runs are.',
  'schedules.gone':
    'A schedule whose thread or agent is not there any more pauses itself, says why, and starts nothing.',
  'schedules.off': 'With schedules.enabled: false nothing runs, and schedules stay readable.',
  'schedules.killed': 'A slot gives one run, whenever the process is killed and started again.',
  'schedules.processes': 'A slot gives one run, however many processes there are.',
  'schedules.clock': 'A clock that is set back runs no slot a second time.',
  'schedules.fair':
    'Of all schedules only schedules.at_once runs are under way, and schedules.per_user of one person; the rest waits in turns of the people.',
  'schedules.account': 'Schedules go with the account, and nothing of a deleted one runs.',
  'schedules.transfer': 'An account takes its schedules along; they arrive paused.',
  'schedules.cheap': 'A look costs one statement while nothing is due, and a run of no schedule none.',
} as const;
