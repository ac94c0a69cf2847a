// Requirements of the disk space of threads and people, by the ids that tests cite.
export const quotaRequirements = {
  'quota.tools': 'A tool whose write would exceed the quota gets an error, and existing files do not change.',
  'quota.edit': 'An edit by a person beyond the quota is 413; one that makes a file smaller is accepted.',
  'quota.commands':
    'After a command that exceeded the quota the model is told, and the next write is refused.',
  'quota.import': "A package whose files exceed the person's quota is 413, and nothing of it remains.",
  'quota.restore': 'A restore that would exceed the quota is 413, and the files do not change.',
  'quota.snapshots':
    'Snapshots for undoing changes count for the person, and are omitted if they exceed the quota.',
  'quota.user': 'The files of all threads of a person count together.',
  'quota.metadata':
    'The metadata of threads and runs counts for the person, as bytes of JSON: beyond the quota it is 413, but smaller metadata is always accepted.',
  'quota.floor': 'While the disk has less than its minimum of free space, every write is 507.',
  'quota.files':
    'The number of files and folders is limited, too, per thread and per person: one too many is 413, and leaves no folder.',
  'quota.shown': 'File lists contain use and limits, and follow what is written and removed.',
} as const;
