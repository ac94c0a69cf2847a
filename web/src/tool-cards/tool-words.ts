// What people read in the place of the name of a tool.

const WORDS = new Map([
  ['ask_clarification', 'Ask a question'],
  ['bash', 'Run command'],
  ['glob', 'Find files'],
  ['grep', 'Search in files'],
  ['ls', 'List folder'],
  ['present_files', 'Present files'],
  ['read_file', 'Read file'],
  ['str_replace', 'Edit file'],
  ['task', 'Start sub-agent'],
  ['view_image', 'View image'],
  ['web_fetch', 'Read web page'],
  ['web_search', 'Search the web'],
  ['write_file', 'Write file'],
  ['write_todos', 'Update plan'],
]);

/** The name itself for tools that this page does not know. */
export function toolWords(name: string): string {
  return WORDS.get(name) ?? name;
}

const ARGUMENTS = new Map([
  ['append', 'Append'],
  ['command', 'Command'],
  ['content', 'Content'],
  ['description', 'Description'],
  ['new_str', 'New text'],
  ['old_str', 'Old text'],
  ['path', 'Path'],
  ['pattern', 'Pattern'],
  ['prompt', 'Prompt'],
  ['query', 'Query'],
  ['replace_all', 'Replace all'],
  ['url', 'Address'],
]);

/** The name itself for arguments that this page does not know. */
export function argumentWords(name: string): string {
  return ARGUMENTS.get(name) ?? name;
}
