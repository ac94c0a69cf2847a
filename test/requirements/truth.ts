// Requirements of everything that is stored beside the record, by the ids that tests cite.
export const truthRequirements = {
  'truth.whole': 'Without damage nothing is reported, and a repair changes nothing.',
  'truth.found':
    'Each projection that differs from the record is found: status, title, totals, counters, head, replaced messages, indexes, leftovers.',
  'truth.repaired': 'Each is repaired from the record and reported, and is then found intact.',
  'truth.unreadable': 'Unreadable data is reported and not changed.',
  'truth.busy': 'While a service is running, busy threads are omitted.',
  'cli.verify':
    '`verify` reports each difference on a line with thread, run, stored and folded value; the exit code is 0 only if nothing differs, or everything was repaired.',
  'cli.verify.alone': '`verify` refuses to work while a service uses the data home.',
} as const;
