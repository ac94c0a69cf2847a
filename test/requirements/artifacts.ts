// Requirements of a thread's files over HTTP (docs/contract/files.md#artifacts), by the ids that tests cite.
export const artifactRequirements = {
  'artifacts.inline':
    'Text, images and PDFs are shown with their content type, never as a script or a style sheet.',
  'artifacts.active':
    'HTML, XHTML, SVG, XML and unknown types are always attachments, with nosniff and a CSP sandbox.',
  'artifacts.text-sniffed':
    'A text file without a known extension is served as plain text, whatever it contains.',
  'artifacts.download': 'download=true makes every file an attachment.',
  'artifacts.names':
    'File names are encoded as in RFC 5987 with an ASCII fallback; no name can inject a header.',
  'artifacts.head': 'HEAD returns the headers of GET without a body.',
  'artifacts.etag': 'If-None-Match and If-Modified-Since return 304 until the file changes.',
  'artifacts.range': 'A single byte range returns 206 with Content-Range.',
  'artifacts.range.refused':
    'Several ranges return the whole file; an invalid range, or one outside the file, returns 416.',
  'artifacts.if-range': 'If-Range returns the whole file after it has changed.',
  'artifacts.served':
    'Over a real connection, large files can be read whole, in ranges, and as headers only.',
  'artifacts.pace': 'A file is read no faster than the client receives it.',
  'artifacts.shrunk': 'If a file becomes shorter while it is sent, the response is aborted.',
  'artifacts.edit':
    'An edit replaces a text only if the client names its current hash; otherwise the 409 contains the current hash.',
  'artifacts.edit.refused':
    'Edits of binary files, links and large texts, and edits during an active run, are refused.',
  'artifacts.list': 'The files of a thread are listed in pages; those that the agent presented are marked.',
  'artifacts.skill': 'Members of .skill packages are read without unpacking them to disk.',
  'artifacts.skill.limits': 'Packages are read within limits; a file that is not a package is refused.',
  'artifacts.traversal':
    'A path is decoded once; traversal, drives, backslashes and control characters are 400 or 404.',
  'artifacts.thread-id': 'A malformed thread id is 422 and reaches no file.',
  'artifacts.owner': 'Files of another user are treated as absent.',
  'artifacts.links': 'Symbolic and hard links are treated as absent, in every component of a path.',
  'artifacts.devices': 'Pipes and folders are refused immediately.',
} as const;
