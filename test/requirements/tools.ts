// What the tools of this step promise, by the ids that tests cite.
export const toolsRequirements = {
  'tools.files': 'ls, read_file, write_file and str_replace take a description first and virtual paths only.',
  'tools.files.effects': 'Tools that change files are never run twice after a crash.',
  'tools.files.paths': 'Traversal and links are refused with a sentence that begins with "Error: ".',
  'tools.read_only':
    "ls, read_file, glob and grep see the user's folders beside the thread's files; nothing is changed there.",
  'tools.arguments': 'Arguments are checked against the schema before a tool runs.',
  'tools.ls': 'ls shows two levels of a folder, at most 20,000 characters.',
  'tools.read_file': 'read_file shows text, or a range of its lines, at most 50,000 characters.',
  'tools.write_file': 'write_file replaces or appends, at most 80 KiB in a call.',
  'tools.str_replace': 'str_replace replaces the first occurrence, or all.',
  'tools.str_replace.marks':
    'str_replace finds marks of prompts as the model is shown them, and writes them as they are in the file.',
  'tools.kept':
    'Whatever a tool says at length is shown in part, and kept whole in a file that the agent can read.',
  'tools.known':
    'A file is only changed by an agent that has read or written it as it is now, in the same thread.',
  'tools.known.parallel':
    'Calls of one answer know what the others wrote, and one of two unknowing ones changes nothing.',
  'tools.glob': 'glob finds files by name, sorted, at most as many as asked.',
  'tools.grep': 'grep finds lines by an expression or plain text, in the files that are asked for.',
  'tools.search.paths': 'glob and grep follow no link and stay inside the thread.',
  'tools.grep.expression':
    'A bad expression is told, and a search that takes too long is cut off without holding the service up.',
  'tools.web_search': 'web_search asks the configured provider in its protocol and shows numbered results.',
  'tools.web_search.absent':
    'Without a provider there is no web_search; a provider without what it needs is refused.',
  'tools.web_search.failures': 'A search that fails says what to do, within a limit of time.',
  'tools.web_search.secret':
    'The key of the search goes to its provider, and to no log, event, answer or redirect.',
  'tools.web_fetch':
    'web_fetch shows a page as Markdown; it sends no credentials, and marks of prompts become text.',
  'tools.web_fetch.guard':
    'web_fetch reaches public addresses over http(s) only, after every redirect as well.',
  'tools.web_fetch.limits': 'web_fetch ends within limits of time, size and redirects.',
  'tools.images':
    'view_image and read_file show images to a model that sees, by their bytes and not by their names.',
  'tools.images.reference': 'State, record and streams have a reference to a viewed image, never its bytes.',
  'tools.images.moment': 'A viewed image stays in the prompt as it was, or is said to have changed.',
  'tools.images.limits': 'What cannot be shown is refused with what to do instead.',
  'tools.images.many': 'A prompt has at most twenty images of tools, the newest ones.',
  'tools.images.blind': 'A model that does not see is told so, and is not offered view_image.',
  'tools.images.sent': 'Images in messages of clients reach a model that sees.',
  'tools.present_files':
    'present_files adds files under outputs to the artifacts, each once, all or none; parallel calls add up.',
  'tools.ask_clarification': 'ask_clarification ends the run with a question, in words and as a form.',
  'tools.ask_clarification.options': 'Options of a question are normalised, trimmed and unique.',
} as const;
