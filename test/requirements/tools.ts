// What the tools of this step promise, by the ids that tests cite.
export const toolsRequirements = {
  'tools.files': 'ls, read_file, write_file and str_replace take a description first and virtual paths only.',
  'tools.files.effects': 'Tools that change files are never run twice after a crash.',
  'tools.files.paths': 'Traversal and links are refused with a sentence that begins with "Error: ".',
  'tools.arguments': 'Arguments are checked against the schema before a tool runs.',
  'tools.ls': 'ls shows two levels of a folder, at most 20,000 characters.',
  'tools.read_file': 'read_file shows text, or a range of its lines, at most 50,000 characters.',
  'tools.write_file': 'write_file replaces or appends, at most 80 KiB in a call.',
  'tools.str_replace': 'str_replace replaces the first occurrence, or all.',
  'tools.ask_clarification': 'ask_clarification ends the run with a question, in words and as a form.',
  'tools.ask_clarification.options': 'Options of a question are normalised, trimmed and unique.',
} as const;
