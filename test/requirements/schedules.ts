// Requirements of schedules, by the ids that tests cite.
export const scheduleRequirements = {
  'schedules.crud':
    'A person creates, reads, changes and deletes schedules; each has the time of its next run.',
  'schedules.own': 'A schedule of another user is treated as absent, and so are its runs.',
  'schedules.bad':
    'An invalid time or time zone, and a time that never comes, comes too often, or is more than ten years away, is a 422 that says how to correct it.',
  'schedules.limit': 'A person has at most schedules.max_per_user schedules.',
  'schedules.fires':
    'A slot becomes one run of the named agent with the prompt, on a new thread or on the one that the schedule names.',
  'schedules.once': 'A schedule with run_at runs once and is then finished.',
  'schedules.zones':
    'Cron is read in the time zone of the schedule: when clocks change, a time of day runs once, and no hour is skipped or run twice.',
  'schedules.missed':
    'Slots that passed while no process was running are skipped, or replaced by one run, as the schedule says; the history contains them.',
  'schedules.overlap':
    'While a run of the schedule is active, its slots are skipped, and the history says so.',
  'schedules.pause': 'A paused schedule does not run; when resumed, it continues with the next slot.',
  'schedules.now': 'A schedule can be run on request, paused or not, in addition to its slots.',
  'schedules.history':
    'The history lists each slot with its run, thread and outcome, or the reason for no run, page by page.',
  'schedules.approval': 'The history shows that a run waits for approval.',
  'schedules.webhook':
    "A schedule's webhook is called for each of its runs, signed and repeated like those of runs.",
  'schedules.gone':
    'A schedule whose thread or agent no longer exists pauses itself, gives the reason, and starts nothing.',
  'schedules.off': 'With schedules.enabled: false nothing runs, and schedules stay readable.',
  'schedules.killed': 'A slot creates one run, whenever the process is killed and restarted.',
  'schedules.processes': 'A slot creates one run, however many processes there are.',
  'schedules.clock': 'Setting the clock back does not repeat a slot.',
  'schedules.fair':
    'At most schedules.at_once runs of all schedules, and schedules.per_user of one person, are active; the rest wait, and people take turns.',
  'schedules.account': 'Schedules are deleted with the account, and none of a deleted account runs.',
  'schedules.transfer': 'The package of an account contains its schedules; they are imported paused.',
  'schedules.cheap': 'A pass makes one statement while nothing is due; a run without a schedule makes none.',
} as const;
