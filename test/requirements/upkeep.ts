// What is asked of the background work of the service, by the ids that tests cite.
export const upkeepRequirements = {
  'upkeep.looks':
    'Every job looks at the start, and again when its time has passed since the last look ended.',
  'upkeep.once': 'A job never looks twice at the same time, whoever wakes it.',
  'upkeep.more': 'A job that left something looks again when as much time has passed as its look took.',
  'upkeep.due':
    'A job that knows when something is due looks then; it never waits longer than for its own time.',
  'upkeep.wake': 'A job that is woken looks at once, or once more behind the look that is under way.',
  'upkeep.failure':
    'A look that fails is logged with the name of its job, and ends neither it nor another job.',
  'upkeep.stop':
    'A stop waits for the looks that are under way and begins none; then each job does its last thing, once.',
  'upkeep.service':
    'The service stops while its background work is under way, and closes its database after it.',
} as const;
