// Requirements of wake-ups, by the ids that tests cite.
export const wakeUpRequirements = {
  'wake.idle': 'An idle process makes at most one database statement a second.',
  'wake.queued':
    'A reader of a queued run checks once, and makes no further database query until the run starts.',
  'wake.queued.cancelled': 'Readers of a queued run learn that it was cancelled.',
  'wake.foreign':
    'A reader of a run in another process makes no query while the run is silent, and receives its events immediately.',
  'wake.thread': 'A subscriber to a thread list receives changes by another process.',
  'wake.lost':
    'A process that loses notifications polls instead, and returns to them when the server allows it; nothing is lost.',
  'wake.notices':
    'Notifications contain only ids, each is sent once to all other processes, and a malformed one does no harm.',
} as const;
