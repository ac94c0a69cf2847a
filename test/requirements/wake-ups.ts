// What is asked of those who wait, by the ids that tests cite.
export const wakeUpRequirements = {
  'wake.idle': 'An idle process asks its database at most one statement a second.',
  'wake.queued':
    'A reader of a queued run looks once, and asks the database nothing more until the run begins.',
  'wake.queued.cancelled': 'Readers of a queued run hear that it was cancelled.',
  'wake.foreign':
    'A reader of a run that another process executes asks nothing while the run is silent, and hears at once of what it says.',
  'wake.thread': 'Who follows a thread list hears of what another process does there.',
  'wake.lost':
    'A process that cannot hear others looks for what they do, and hears again when the server lets it; nothing is lost.',
  'wake.notices':
    'Notices are of ids only, each is told once to all others, and one that is none does no harm.',
} as const;
