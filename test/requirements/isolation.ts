// Requirements of isolation between users, by the ids that tests cite.
export const isolationRequirements = {
  'isolation.routes':
    'Every id of another user, in path, query or body of every route, is treated like an absent one: same status, headers, body and database queries.',
  'isolation.keys': 'The same holds for requests with an API key.',
  'isolation.sockets': 'The same holds for WebSockets.',
  'isolation.listings': 'No listing shows anything of another user.',
  'isolation.untouched': 'None of these requests changes anything of another user.',
  'isolation.complete': 'A route, or an id in one, without a test case fails the build.',
  'owner.every-method':
    'No method of any repository reads or changes anything of another owner; a method without a test case fails.',
  'storage.rls.tables': 'On PostgreSQL, row-level security guards every table with rows of owners.',
  'storage.rls.read': 'On PostgreSQL, a repository that omits the filter gets nothing of another owner.',
  'storage.rls.write': 'On PostgreSQL, a repository that omits the filter changes nothing of another owner.',
  'storage.rls.local':
    'A connection acts only for the owner who uses it, whatever happened to earlier queries on it.',
  'storage.rls.active':
    'The service asks the database whether row-level security is active, and logs the result and whether it is bypassed.',
  'storage.rls.default': 'Row-level security is on unless the configuration disables it.',
  'storage.rls.owners':
    'After the upgrade, older frames, traces and checkpoints have their owners; those that several owners see stay shared.',
  'storage.rls.off':
    'If the role of the owners cannot be used, the service works without row-level security and logs that.',
} as const;
