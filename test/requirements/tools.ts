// Requirements of the built-in tools, by the ids that tests cite.
export const toolsRequirements = {
  'tools.files': 'ls, read_file, write_file and str_replace take a description first and only virtual paths.',
  'tools.files.effects': 'Tools that change files never run twice after a crash.',
  'tools.files.paths': 'Traversal and links are refused with a sentence that begins with "Error: ".',
  'tools.read_only':
    "ls, read_file, glob and grep also see the user's read-only folders; nothing can be changed there.",
  'tools.arguments': 'Arguments are checked against the schema before a tool runs.',
  'tools.ls': 'ls shows two levels of a folder, at most 20,000 characters.',
  'tools.read_file': 'read_file shows text, or a range of its lines, at most 50,000 characters.',
  'tools.write_file': 'write_file replaces or appends, at most 80 KiB in a call.',
  'tools.str_replace': 'str_replace replaces the first occurrence, or every one.',
  'tools.str_replace.marks':
    'str_replace finds marks of prompts as the model sees them, and writes them as they are in the file.',
  'tools.kept': 'A long result is shown in part, and stored whole in a file that the agent can read.',
  'tools.known':
    'An agent can change a file only if it has read or written the current contents in the same thread.',
  'tools.known.parallel':
    'Calls of one reply know what the others wrote; of two calls that do not know a file, one changes nothing.',
  'tools.glob': 'glob finds files by name, sorted, up to the requested number.',
  'tools.grep': 'grep finds lines by an expression or plain text, in the requested files.',
  'tools.search.paths': 'glob and grep follow no link and stay inside the thread.',
  'tools.grep.expression':
    'A bad expression is an error, and a search that takes too long is stopped without blocking the service.',
  'tools.web_search':
    'web_search queries the configured provider in its protocol and shows numbered results.',
  'tools.web_search.absent': 'Without a provider there is no web_search; an incomplete provider is refused.',
  'tools.web_search.failures': 'A failed search says what to do, within a time limit.',
  'tools.web_search.secret':
    'The search key is sent to its provider only, and to no log, event, reply or redirect.',
  'tools.web_fetch':
    'web_fetch shows a page as Markdown; it sends no credentials, and escapes marks of prompts.',
  'tools.web_fetch.guard': 'web_fetch reaches only public addresses over http(s), also after every redirect.',
  'tools.web_fetch.limits': 'web_fetch ends within limits of time, size and redirects.',
  'tools.images':
    'view_image and read_file show images to a model with vision, recognised by their bytes and not by their names.',
  'tools.images.reference':
    'State, record and streams contain a reference to a viewed image, never its bytes.',
  'tools.images.moment': 'A viewed image stays in the prompt as it was, or is reported as changed.',
  'tools.images.limits': 'An image that cannot be shown is refused with advice.',
  'tools.images.many': 'A prompt contains at most the twenty newest images of tools.',
  'tools.images.blind': 'A model without vision is told so, and is not offered view_image.',
  'tools.images.sent': 'Images in messages of clients reach a model with vision.',
  'tools.present_files':
    'present_files adds files under outputs to the artifacts, each once, all or none; parallel calls all count.',
  'tools.ask_clarification': 'ask_clarification ends the run with a question, in words and as a form.',
  'tools.ask_clarification.options': 'Options of a question are normalised, trimmed and unique.',
} as const;
