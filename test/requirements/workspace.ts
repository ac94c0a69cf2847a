// Requirements of a thread's files (docs/contract/files.md), by the ids that tests cite.
export const workspaceRequirements = {
  'workspace.layout.user':
    'With a user, thread files are in <data_home>/users/<user_id>/threads/<thread_id>/.',
  'workspace.layout.legacy': 'Without a user, thread files are in <data_home>/threads/<thread_id>/.',
  'workspace.layout.moved':
    'Files of an owned thread that are still in the ownerless folder are moved together on first use.',
  'workspace.ids':
    'Thread ids match ^[A-Za-z0-9_-]{1,64}$; anything else is 422 and never reaches the file system.',
  'workspace.traversal':
    'Only virtual paths under /mnt/user-data are accepted; traversal, drives, backslashes and control characters are refused.',
  'workspace.names': 'File names are plain text in NFC, at most 255 bytes.',
  'workspace.virtual': 'Only files of the thread have a virtual path.',
  'workspace.lazy': 'Folders of a thread are created on the first write.',
  'workspace.write': 'Files are replaced or appended to; a reader sees the old or the new text.',
  'workspace.replace': 'Text in a file is replaced once or everywhere.',
  'workspace.read': 'A range of lines of a file is read in bounded memory.',
  'workspace.list': 'Folders are listed up to a depth and a size.',
  'workspace.errors': 'A failure names virtual paths only, never one of the machine.',
  'workspace.devices': 'Pipes, sockets and devices are refused immediately.',
  'workspace.symlinks': 'Symbolic links are refused in every component.',
  'workspace.hardlinks': 'Files with several hard links are refused.',
  'workspace.races': 'Swapping a folder for a link between check and use leads nowhere.',
  'workspace.owner': 'Files of another user or thread are treated as absent.',
  'workspace.remove': 'Deleting a thread removes its files, and nothing else.',
  'running.single':
    'A second service on a data home is refused, and the message names the process that holds it.',
} as const;
