// What nobody learns of somebody else's rows, by the ids that tests cite.
export const isolationRequirements = {
  'isolation.routes':
    'Every id of somebody else, in path, query or body of every route, is answered like an absent one: status, headers, body, and what the database is asked.',
  'isolation.keys': 'So it is for requests with an API key.',
  'isolation.sockets': 'So it is over WebSockets.',
  'isolation.listings': 'No listing shows anything of somebody else.',
  'isolation.untouched': 'Nothing of somebody else is changed by any of these requests.',
  'isolation.complete': 'A route, or an id in one, that has no case fails the build.',
  'owner.every-method':
    'Every method of every repository sees and changes nothing of another owner; a method without a case fails.',
  'storage.rls.tables': 'On Postgres, row-level security guards every table with rows of owners.',
  'storage.rls.read': 'A repository that forgets to filter gets nothing of another owner from Postgres.',
  'storage.rls.write': 'A repository that forgets to filter changes nothing of another owner on Postgres.',
  'storage.rls.local':
    'A connection of owners is nobody’s but the one’s who asks, whatever became of what was asked before.',
  'storage.rls.active':
    'Whether row-level security is active is asked of the database; the log says so, and when it is bypassed.',
  'storage.rls.default': 'Row-level security is on unless the configuration says otherwise.',
  'storage.rls.owners':
    'Frames, traces and checkpoints of before they had owners have them after the upgrade; what several owners see stays shared.',
  'storage.rls.off':
    'Where the role of the owners cannot be used the service works without the second wall and says so.',
} as const;
