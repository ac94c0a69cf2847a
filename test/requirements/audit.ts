// Requirements of the audit log, by the ids that tests cite.
export const auditRequirements = {
  'audit.row':
    'A row has a number, time, actor, client address, act, subject, details, the previous hash and its own hash.',
  'audit.chain': 'Each row is chained to the previous one by its hash.',
  'audit.concurrent': 'Concurrent writers in several processes append to one chain without gaps or forks.',
  'audit.list': 'The log is listed newest first, in pages, and filtered by actor, act and time.',
  'audit.append-only': 'The database itself refuses to change or remove rows, on SQLite and on PostgreSQL.',
  'audit.with-the-change':
    'The change of an account and its audit row become durable together or not at all.',
  'audit.acts.threads': 'The log records the deletion of threads and the adoption of ownerless ones.',
  'audit.verify.changed': 'Verification names a changed row as the first broken one.',
  'audit.verify.missing': 'Verification names a removed row, including one removed from the end.',
  'audit.anchor': 'If the log no longer contains a row that was noted before, it is broken.',
  'audit.acts.sign-in':
    'Registering, signing in and signing out are logged with the account and the client address.',
  'audit.acts.sign-in-failed':
    'Failed sign-ins and lockouts are logged; attempts from a locked address, and what was typed, are not.',
  'audit.acts.accounts': 'Setup and changes of password or e-mail are logged.',
  'audit.acts.operator': 'Creating and resetting an administrator are logged without an actor.',
  'audit.acts.configuration':
    'A start with a changed configuration is logged with the names of the changed sections.',
  'audit.acts.api-keys': 'Creating a key, its first use on a day, and revoking it are logged.',
  'audit.acts.thread-deletion': 'The row of a deleted thread contains the client address of the request.',
  'audit.no-secrets': 'No row contains a password, token, key, hash or e-mail address.',
  'audit.fail-closed.sign-in':
    'While the log cannot be written, every sign-in is a 503, whether the password is right or wrong; failures count.',
  'audit.sign-out': 'Signing out works while the log cannot be written; the service logs an error.',
  'audit.read.administrators': 'GET /api/audit is for administrators: 403 for others, 401 without a session.',
  'audit.read.paged': 'GET /api/audit is paged, and filtered by act, user and time; bad parameters are 422.',
  'audit.cli.verify':
    '`audit verify` reports how many rows are intact and the anchor of the last one, or names the first broken row and fails.',
  'audit.cli.anchor': '`audit verify --anchor` detects that the end of the log was removed.',
  'audit.cli.list': '`audit list` lists the acts and filters them by account and time.',
} as const;
