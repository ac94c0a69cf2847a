// What is asked of everything that is stored beside the record, by the ids that tests cite.
export const truthRequirements = {
  'truth.whole': 'Where nothing is broken nothing is found, and repairing changes nothing.',
  'truth.found':
    'Each projection that says something else than the record is found: status, title, totals, counters, head, replaced messages, indexes, leftovers.',
  'truth.repaired': 'Each is repaired from the record, says so, and is found whole again.',
  'truth.unreadable': 'What cannot be read is told and left as it is.',
  'truth.busy': 'Beside a service, busy threads are left out.',
  'cli.verify':
    '`verify` tells each difference on a line with thread, run, stored and folded value; exit code 0 only when nothing differs, or all was mended.',
  'cli.verify.alone': '`verify` refuses to work beside a service that has the data home.',
} as const;
