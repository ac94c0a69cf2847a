// What is asked of the files of a thread over time, by the ids that tests cite.
export const undoRequirements = {
  'undo.changes': 'What a run created, modified and deleted is told, with unified diffs of texts.',
  'undo.changes.none': 'A run whose tools could change nothing changed nothing and costs nothing.',
  'undo.rollback': 'A rollback puts the files back as they were before the run; what people handed in stays.',
  'undo.branch':
    'A run from an older checkpoint begins with the files of that point when restore_files says so.',
  'undo.restore': 'The files can be put back to a checkpoint, to before a run, and to an earlier point.',
  'undo.undone': 'A restore is itself a point that can be gone back to.',
  'undo.links': 'Restoring follows no link.',
  'undo.refused': 'A restore is refused while a run is active and where nothing is kept.',
  'undo.once': 'No content is kept twice.',
  'undo.large': 'Files over the limit are told by their size and left as they are.',
  'undo.same-time': 'A change that keeps size and modification time is seen.',
  'undo.deleted': 'Snapshots go with their thread and into no export.',
  'undo.meanwhile':
    'Files that change while they are remembered are kept as they were at one moment, or not at all.',
  'undo.broken': 'A run does not fail because its files cannot be kept.',
} as const;
