// Requirements of undoing changes to the files of a thread, by the ids that tests cite.
export const undoRequirements = {
  'undo.changes':
    'The files that a run created, modified and deleted are listed, with unified diffs of texts.',
  'undo.changes.none': 'A run whose tools cannot change files has no changes and costs nothing.',
  'undo.rollback': 'A rollback restores the files from before the run; files that people uploaded stay.',
  'undo.branch': 'With restore_files, a run from an older checkpoint starts with the files of that point.',
  'undo.restore': 'The files can be restored to a checkpoint, to before a run, and to an earlier point.',
  'undo.undone': 'A restore can itself be undone.',
  'undo.links': 'Restoring follows no link.',
  'undo.refused': 'A restore is refused during an active run and where there is no snapshot.',
  'undo.once': 'No content is stored twice.',
  'undo.large': 'Files over the limit are listed with their size and not restored.',
  'undo.same-time': 'A change that keeps size and modification time is detected.',
  'undo.deleted': 'Snapshots are deleted with their thread and are in no export.',
  'undo.meanwhile':
    'Files that change during a snapshot are stored as they were at one moment, or not at all.',
  'undo.broken': 'A run does not fail because a snapshot fails.',
} as const;
