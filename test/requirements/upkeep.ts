// Requirements of background jobs, by the ids that tests cite.
export const upkeepRequirements = {
  'upkeep.looks':
    'Every job makes a pass at the start, and another when its interval has passed since the last pass ended.',
  'upkeep.once': 'A job never makes two passes at the same time, whoever wakes it.',
  'upkeep.more': 'If a pass leaves work, the next one starts after a pause as long as the pass took.',
  'upkeep.due':
    'A job that knows when something is due makes a pass then; it never waits longer than its interval.',
  'upkeep.wake': 'A job that is woken makes a pass immediately, or another one after the current pass.',
  'upkeep.failure':
    'A pass that fails is logged with the name of its job, and stops neither that job nor another.',
  'upkeep.stop': 'A stop waits for current passes and starts none; then each job does its final work, once.',
  'upkeep.service': 'The service can stop during background work, and closes its database afterwards.',
} as const;
