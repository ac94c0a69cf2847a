// What is asked of the audit log, by the ids that tests cite.
export const auditRequirements = {
  'audit.row':
    'A row has number, time, actor, client address, act, subject, details, the hash before and its own.',
  'audit.chain': 'Each row is chained to the one before by its hash.',
  'audit.concurrent': 'Many at once, of several processes, append to one chain: no holes, no forks.',
  'audit.list': 'The log is read newest first, by actor, act, time and page.',
  'audit.append-only': 'The database itself refuses to change or remove rows, on SQLite and on Postgres.',
  'audit.with-the-change': 'A change of an account and its row are durable together, or neither is.',
  'audit.acts.threads': 'Deleting a thread and adopting ownerless ones are in the log.',
  'audit.verify.changed': 'A row that was changed is named as the first broken one.',
  'audit.verify.missing': 'A row that was removed is named, the last ones included.',
  'audit.anchor': 'What was known of the log once must still be in it, or it is broken.',
  'audit.acts.sign-in': 'Registering, signing in and signing out are rows, with who and from which address.',
  'audit.acts.sign-in-failed':
    'A failed sign-in and a lockout are rows; attempts of a locked address and what was typed are not.',
  'audit.acts.accounts': 'Setting up, changing the password and changing the e-mail are rows.',
  'audit.acts.operator': 'Making and resetting an administrator are rows without an actor.',
  'audit.acts.configuration': 'A start with another configuration is a row that names the changed sections.',
  'audit.acts.api-keys': 'Making a key, its first use on a day, and revoking it are rows.',
  'audit.acts.thread-deletion': 'The row of a deleted thread has the address that the request came from.',
  'audit.no-secrets': 'No password, token, key, hash or e-mail is in a row.',
  'audit.fail-closed.sign-in':
    'While the log cannot be written nobody signs in: 503, whether the password is right or wrong; failures count.',
  'audit.sign-out': 'Signing out works while the log cannot be written; the service complains.',
  'audit.read.administrators': 'GET /api/audit is for administrators: 403 for others, 401 without a session.',
  'audit.read.paged': 'GET /api/audit is paged, filtered by act, user and time; bad parameters are 422.',
  'audit.cli.verify':
    '`audit verify` says how many rows are whole and where they end, or names the first broken row and fails.',
  'audit.cli.anchor': '`audit verify --anchor` finds an end that was cut off.',
  'audit.cli.list': '`audit list` shows the acts, also by account and time.',
} as const;
