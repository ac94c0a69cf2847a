// Requirements of packages of threads and accounts, and of deletion, by the ids that tests cite.
export const transferRequirements = {
  'transfer.items':
    'The package of an account contains its store items; the importing account keeps its own ones.',
  'transfer.export.contents':
    'The export of a thread is a zip with its runs, record, history, branches and files, and a manifest that lists them.',
  'transfer.export.secrets':
    'The export of an account has all its threads, and nothing that can be used to sign in.',
  'transfer.agents':
    'An export of an account has its own agents with their versions; an import adds those that the account does not have, and names the others.',
  'transfer.memory':
    'An export of an account has the facts that its agents remember, and its switch; an import adds facts that are new, up to memory.max_facts.',
  'transfer.lines': 'A package with damaged agents or memories is refused; nothing of it remains.',
  'transfer.skills':
    'An export of an account has its custom skills and its switches; an import adds those that the account does not have, and names the others.',
  'transfer.export.active':
    'A run that has not ended is omitted; its thread is exported as it was before the run.',
  'transfer.export.copy': 'The export of a copy is complete without the thread that it was copied from.',
  'transfer.export.pace':
    'A package is written as fast as the client reads it; a client that disconnects ends the export.',
  'transfer.isolation': "Exports contain a person's own threads; a shared thread can be exported by its id.",
  'transfer.import.ids': 'A thread imported beside its original gets new ids and is otherwise identical.',
  'transfer.import.elsewhere':
    'Imported elsewhere, a thread keeps its ids, belongs to the importer, and can continue with its branches and files.',
  'transfer.import.names':
    'A package with unsafe names, links or duplicate names is refused as a whole with a sentence; nothing of it remains.',
  'transfer.import.whole':
    'A package that is truncated, changed or of another version is refused as a whole.',
  'transfer.import.lines': 'Every line is validated by itself and against the others.',
  'transfer.import.limits': 'Size, unpacked size, entries and lines of a package are limited.',
  'threads.delete.everywhere':
    'A deleted thread leaves no row in any table and no file; the audit log records the deletion.',
  'account.delete.everywhere':
    'A deleted account leaves no row in any table and no file; the audit log keeps ids and acts.',
  'account.delete.sessions':
    'Deleting an account ends every session and key immediately, and frees its e-mail.',
  'account.delete.confirm':
    'Deleting an account requires its password and a session; the last administrator cannot be deleted.',
  'account.delete.skills':
    'Deleting an account removes its skills and switches; pending changes do not restore any.',
  'account.delete.active': 'Deleting an account cancels its runs.',
  'fault.account':
    "If the process is killed at any point of an account's deletion, the restart completes it.",
  'retention.events':
    'Events of a category are removed some days after their run ended; listings, totals and other events stay; space is freed.',
  'fault.retention':
    'If the process is killed at any point of the removal of old events and streams, the next start continues: everything due is removed, and nothing else.',
  'deletion.late-title':
    'A title that arrives after its thread or account was deleted restores nothing of it.',
  'fault.import':
    'If the process is killed at any point of an import, the package is there completely or not at all.',
} as const;
