// What packages of threads and accounts promise, by the ids that tests cite.
export const transferRequirements = {
  'transfer.items':
    'Items of the store come with the package of an account; the account that it is brought into keeps those that it has.',
  'transfer.export.contents':
    'The export of a thread is a zip with its runs, record, history, branches and files, and a manifest that names them.',
  'transfer.export.secrets':
    'The export of an account has all its threads, and nothing that signs anybody in.',
  'transfer.agents':
    'An export of an account has its own agents with their versions; an import brings in those that the account does not have, and names the others.',
  'transfer.memory':
    'An export of an account has the facts that its agents remember, and its switch; an import adds those that say something new, within memory.max_facts.',
  'transfer.lines': 'Agents and memories of a package that are damaged refuse it; nothing of it is left.',
  'transfer.skills':
    'An export of an account has its custom skills and its switches; an import brings in those that the account does not have, and names the others.',
  'transfer.export.active': 'A run that has not ended is left out; its thread is as it was before.',
  'transfer.export.copy': 'The export of a copy is whole without the thread that it was copied from.',
  'transfer.export.pace':
    'A package is written as fast as it is read; a client that goes away ends the reading.',
  'transfer.isolation': "Exports have a person's own threads, and those shared for reading when asked by id.",
  'transfer.import.ids': 'An import beside the thread that it came from has new ids and everything else.',
  'transfer.import.elsewhere':
    'Imported elsewhere, a thread keeps its ids, belongs to whoever imports it, and goes on with branches and files.',
  'transfer.import.names':
    'Unsafe names, links and doubled names refuse the whole package with a sentence; nothing of it is left.',
  'transfer.import.whole': 'A package that is cut off, changed or of another version is refused as a whole.',
  'transfer.import.lines': 'Every line is checked by the format and against the others.',
  'transfer.import.limits': 'Size, unpacked size, entries and lines of a package are limited.',
  'threads.delete.everywhere':
    'A deleted thread leaves no row in any table and no file; the audit log says that it was deleted.',
  'account.delete.everywhere':
    'A deleted account leaves no row in any table and no file; the audit log keeps ids and acts.',
  'account.delete.sessions': 'A deleted account ends every sign-in and key at once, and its e-mail is free.',
  'account.delete.confirm':
    'Deleting an account needs its password and a session; the last administrator stays.',
  'account.delete.skills':
    'Deleting an account removes its skills and their switches, and nothing that was on its way then comes back.',
  'account.delete.active': 'Deleting an account cancels its runs.',
  'fault.account': 'Killed at any point of the deletion of an account, the rest goes after the restart.',
  'retention.events':
    'Events of a category go some days after their run ended; listings, totals and other events stay; space is given back.',
  'fault.retention':
    'Killed at any point of the removal of old events and streams, the next start goes on: what was due is gone, and nothing else.',
  'deletion.late-title':
    'A title that a model writes for a thread or an account that was deleted meanwhile brings nothing of it back.',
  'fault.import': 'Killed at any point of an import, all of the package is there afterwards, or nothing.',
} as const;
