// Requirements of how places are shared between users, by the ids that tests cite.
export const fairShareRequirements = {
  'fair.limits':
    'No more work runs concurrently than there are places, and no owner gets more than its share.',
  'fair.turns':
    "An owner's work waits in order of arrival, and no owner gets a second place while another waits for its first.",
  'fair.lost': 'However work ends or stops waiting, its place is passed on exactly once.',
  'fair.refused':
    'Work that may not wait, or has waited too long, is refused with the reason and the seconds until a retry.',
  'fair.commands':
    'Commands have places: one user cannot take all, and a command that may not wait is refused with a reason.',
  'fair.searches': 'Searches and web pages have places of their own.',
  'fair.conversions':
    'Conversions have places; a document that may not wait for one stays and says when to try again.',
  'fair.tool-calls':
    'The calls of one reply run 16 at a time in their order, and are reported as started when they start; each one beyond 128 gets an error.',
  'fair.runs':
    'The concurrent runs of a user are limited, and users with waiting runs take turns, however many runs each has.',
  'fair.runs.waiting':
    'A user with too many waiting runs gets 429 with Retry-After and the limit, and no thread is created.',
} as const;
