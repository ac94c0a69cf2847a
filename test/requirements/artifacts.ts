// What is promised of a thread's files over HTTP (docs/contract/files.md#artifacts), by the ids that tests cite.
export const artifactRequirements = {
  'artifacts.inline':
    'Text, images and PDF are shown with the type of the file, never as a script or a style sheet.',
  'artifacts.active':
    'Html, xhtml, svg, xml and what is unknown are attachments always, with nosniff and a CSP sandbox.',
  'artifacts.text-sniffed': 'A file without a telling name that is text is plain text, whatever is in it.',
  'artifacts.download': 'download=true makes an attachment of every file.',
  'artifacts.names':
    'Names are told by RFC 5987 with an ASCII fallback; none of them reaches into the headers.',
  'artifacts.head': 'HEAD answers the headers of GET and no body.',
  'artifacts.etag': 'If-None-Match and If-Modified-Since answer 304 until the file changed.',
  'artifacts.range': 'A single range of bytes answers 206 with Content-Range.',
  'artifacts.range.refused':
    'Several ranges answer the whole file; one that the file does not have, or that is none, answers 416.',
  'artifacts.if-range': 'If-Range answers the whole file once it changed.',
  'artifacts.served': 'Large files come whole, in parts and as headers over a real connection.',
  'artifacts.pace': 'A file is read no faster than its reader takes it.',
  'artifacts.shrunk': 'A file that becomes shorter while it is sent breaks the answer off.',
  'artifacts.edit':
    'A text is written over the one whose hash the client names, and 409 tells the hash of another one.',
  'artifacts.edit.refused': 'Binary files, links, large texts and edits while a run is active are refused.',
  'artifacts.list': 'The files of a thread are listed page by page; what the agent presented is marked.',
  'artifacts.skill': 'Members of .skill packages are read without unpacking them to disk.',
  'artifacts.skill.limits': 'A package is read within limits; what is no package is refused.',
  'artifacts.traversal':
    'A path is decoded once; traversal, drives, backslashes and control characters are 400 or 404.',
  'artifacts.thread-id': 'A thread id of the wrong form is 422 and reaches no file.',
  'artifacts.owner': "Somebody else's files are absent.",
  'artifacts.links': 'Links and hard links are absent, on every component.',
  'artifacts.devices': 'Pipes and folders are refused at once.',
} as const;
