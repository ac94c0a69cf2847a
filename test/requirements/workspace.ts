// What is promised of a thread's files (docs/contract/files.md), by the ids that tests cite.
export const workspaceRequirements = {
  'workspace.layout.user':
    'When a user is known, thread files lie under <data_home>/users/<user_id>/threads/<thread_id>/.',
  'workspace.layout.legacy': 'Without a user, thread files lie under <data_home>/threads/<thread_id>/.',
  'workspace.layout.moved':
    'Files of a thread with an owner that still lie in the place without one are moved on first use, as one.',
  'workspace.ids':
    'Thread ids match ^[A-Za-z0-9_-]{1,64}$; anything else is 422 and never reaches the file system.',
  'workspace.traversal':
    'Only virtual paths under /mnt/user-data are taken; traversal, drives, backslashes and control characters are refused.',
  'workspace.names': 'File names are plain text in NFC, at most 255 bytes.',
  'workspace.virtual': 'Only files of the thread have a virtual path.',
  'workspace.lazy': 'Folders of a thread are created when something is written.',
  'workspace.write': 'Files are written whole or appended to; a reader sees the old or the new text.',
  'workspace.replace': 'Text in a file is replaced once or everywhere.',
  'workspace.read': 'A range of lines of a file is read in bounded memory.',
  'workspace.list': 'Folders are listed to a depth, bounded.',
  'workspace.errors': 'A failure names virtual paths only, never one of the machine.',
  'workspace.devices': 'Pipes, sockets and devices are refused at once.',
  'workspace.symlinks': 'Symbolic links are refused on every component.',
  'workspace.hardlinks': 'Files with a second name are refused.',
  'workspace.races': 'Swapping a folder for a link between check and use leads nowhere.',
  'workspace.owner': "Another user's or thread's files are absent.",
  'workspace.remove': 'Deleting a thread removes its files, and nothing else.',
  'running.single': 'A second service on a data home is refused and names the process that holds it.',
} as const;
