// What is asked of the room that threads and people have on disk, by the ids that tests cite.
export const quotaRequirements = {
  'quota.tools': 'A tool that would write beyond the quota is told so, and what was there stays as it was.',
  'quota.edit': 'An edit by a person beyond the quota is 413; one that makes a file smaller is taken.',
  'quota.commands':
    'After a command that went beyond the quota the model is told, and the next write is refused.',
  'quota.import':
    'A package whose files are more than the person may have is 413, and nothing of it is left.',
  'quota.restore': 'A restore that would take too much is 413, and the files stay as they are.',
  'quota.snapshots':
    'What is kept to undo changes counts for the person, and is left out when it is too much.',
  'quota.user': 'The files of all threads of a person count together.',
  'quota.metadata':
    'The metadata of threads and runs counts for the person, as bytes of JSON: what would be more than the quota is 413, and smaller metadata is always taken.',
  'quota.floor': 'While the disk has less than its floor of free space every write is 507.',
  'quota.files':
    'Files and folders are counted beside bytes, for a thread and for a person: what would be one too many is 413, and leaves no folder.',
  'quota.shown': 'Use and limits are told with the lists of files, and follow what is written and removed.',
} as const;
