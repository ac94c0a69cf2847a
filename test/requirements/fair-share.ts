// How places for work are shared between users, by the ids that tests cite.
export const fairShareRequirements = {
  'fair.limits': 'No more work is done at once than there are places, and none of an owner beyond its share.',
  'fair.turns':
    'Work of an owner waits in the order in which it came, and nobody gets a second place while another waits for its first.',
  'fair.lost':
    'However work ends or stops waiting, its place is given on; none is lost and none is given twice.',
  'fair.refused':
    'Work that may not wait, or has waited too long, is told why and after how many seconds to try again.',
  'fair.commands':
    'Commands have places: a user leaves some to others, and what may not wait is refused with a reason.',
  'fair.searches': 'Searches and pages that are read have places of their own.',
  'fair.conversions':
    'Conversions have places; a document that may not wait for one stays and says when to try again.',
  'fair.tool-calls':
    'Calls of an answer run 16 at a time in their order, and are told as begun when they do; beyond 128 they get an error each.',
  'fair.runs':
    'A user has so many runs at once, and users whose runs wait take turns, however many each has waiting.',
  'fair.runs.waiting':
    'A user with too many runs waiting gets 429 with Retry-After and the limit, and no thread is left behind.',
} as const;
