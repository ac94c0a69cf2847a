// What a plain request asks the demo model to do. Pure text matching, first rule that fits.

export type Intent =
  | { readonly kind: 'delegate'; readonly tasks: readonly string[] }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'write'; readonly path: string; readonly content: string; readonly append: boolean }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'report'; readonly about: string }
  | { readonly kind: 'ask_content'; readonly path: string }
  | { readonly kind: 'replace'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: 'summarise_file'; readonly path: string }
  | { readonly kind: 'summarise_text'; readonly text: string }
  | { readonly kind: 'summarise_thread' }
  | { readonly kind: 'plan'; readonly goal: string }
  | { readonly kind: 'ask'; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: 'think'; readonly about: string }
  | { readonly kind: 'recall' }
  | { readonly kind: 'recall_name' }
  | { readonly kind: 'count'; readonly to: number }
  | { readonly kind: 'show_markdown' }
  | { readonly kind: 'help' }
  | { readonly kind: 'greet' }
  | { readonly kind: 'talk' };

const ROOT = '/mnt/user-data';
const WORKSPACE = `${ROOT}/workspace`;

type Rule = (text: string) => Intent | undefined;

const RULES: readonly Rule[] = [
  delegate,
  runCommand,
  list,
  report,
  replace,
  write,
  readFiles,
  summarise,
  plan,
  ask,
  think,
  recall,
  small,
];

export function readIntent(said: string): Intent {
  const text = withoutPoliteness(said.trim());
  for (const rule of RULES) {
    const intent = rule(text);
    if (intent !== undefined) return intent;
  }
  return { kind: 'talk' };
}

function withoutPoliteness(text: string): string {
  const prefix =
    /^(?:please|pls|now|then|ok|okay|so|hey|can you|could you|would you|will you|i want you to)[,:]?\s+/i;
  let rest = text;
  while (prefix.test(rest)) rest = rest.replace(prefix, '');
  return rest.replace(/[,\s]+please\s*([.!?]?)$/i, '$1');
}

/** "in parallel: list the files; read NOTES.md", or with a line for each. */
function delegate(text: string): Intent | undefined {
  const match = /^(?:do\s+)?(?:in\s+parallel|at\s+the\s+same\s+time)\b\s*[:,]?\s*([\s\S]*)$/i.exec(text);
  const tasks = match?.[1]
    ?.split(/\s*[;\n]\s*/)
    .map((task) => task.replace(/^(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((task) => task !== '');
  return tasks === undefined || tasks.length === 0 ? undefined : { kind: 'delegate', tasks };
}

/** "run ls -la", "execute `date`", "$ date". */
function runCommand(text: string): Intent | undefined {
  const command = /^(?:(?:run|execute)\s+(?:the\s+command\s+)?:?\s*|\$\s+)(\S[\s\S]*)$/i.exec(text)?.[1];
  return command === undefined ? undefined : { kind: 'run', command: unquoted(command) };
}

function report(text: string): Intent | undefined {
  const about =
    /^(?:make|write|create|draw\s+up)\s+(?:me\s+)?(?:an?|the)\s+(?:small\s+|short\s+)?report\s+(?:about|on|of)\s+(\S[\s\S]*?)[.!?]?$/i.exec(
      text,
    )?.[1];
  return about === undefined ? undefined : { kind: 'report', about: about.replace(/\s+/g, ' ') };
}

function list(text: string): Intent | undefined {
  const plain = /^(?:ls|dir)(?:\s+(\S+))?\s*$/i.exec(text);
  const worded =
    /^(?:list|show)(?:\s+me)?\s+(?:all\s+)?(?:the\s+|my\s+)?(?:files|folder|directory|workspace)(?:\s+(?:in|of|under)\s+(?:the\s+)?(\S+?))?[.!?]?$/i.exec(
      text,
    ) ?? /^(?:what|which)\s+files\s+(?:are|do)\b/i.exec(text);
  const match = plain ?? worded;
  if (match === null) return undefined;
  const folder = match[1];
  const isWorkspace = folder === undefined || /^(?:workspace|folder|directory)$/i.test(folder);
  return { kind: 'list', path: isWorkspace ? WORKSPACE : toPath(folder) };
}

function replace(text: string): Intent | undefined {
  const match =
    /^(?:replace|change)\s+([\s\S]+?)\s+(?:with|by|to|into)\s+([\s\S]+?)\s+in\s+(?:the\s+file\s+)?(\S+)$/i.exec(
      text,
    );
  const [, from, to, file] = match ?? [];
  if (from === undefined || to === undefined || file === undefined || !isFileName(file)) return undefined;
  return { kind: 'replace', path: toPath(file), from: unquoted(from), to: unquoted(to) };
}

function write(text: string): Intent | undefined {
  return writeNamedFile(text) ?? writeIntoFile(text);
}

/** "write NOTES.md: text", "create a file NOTES.md with text", "write NOTES.md". */
function writeNamedFile(text: string): Intent | undefined {
  const match =
    /^(?:write|create|save|make)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?("[^"\n]+"|`[^`\n]+`|[^\s:]+)\s*(?:(?::|with(?:\s+the)?(?:\s+(?:content|text|words))?[:\s])\s*([\s\S]*))?$/i.exec(
      text,
    );
  const [, file, content] = match ?? [];
  if (file === undefined || !isFileName(file)) return undefined;
  const path = toPath(file);
  if (content === undefined || content.trim() === '') return { kind: 'ask_content', path };
  return { kind: 'write', path, content: fileContent(content), append: false };
}

/** "write hello to NOTES.md", "append hello to NOTES.md". */
function writeIntoFile(text: string): Intent | undefined {
  const match =
    /^(write|save|put|append|add)\s+([\s\S]+?)\s+(?:to|into|in)\s+(?:the\s+)?(?:file\s+)?(\S+)$/i.exec(text);
  const [, verb = '', content, file] = match ?? [];
  if (content === undefined || file === undefined || !isFileName(file)) return undefined;
  const append = /^(?:append|add)$/i.test(verb);
  return { kind: 'write', path: toPath(file), content: fileContent(unquoted(content)), append };
}

function readFiles(text: string): Intent | undefined {
  const match =
    /^(?:read|open|show|cat|print|display)(?:\s+me)?\s+(?:the\s+)?(?:files?\s+)?(\S[\s\S]*)$/i.exec(text);
  const names = match?.[1]?.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).filter((name) => name !== '');
  if (names === undefined || names.length === 0 || !names.every(isFileName)) return undefined;
  return { kind: 'read', paths: names.map(toPath) };
}

function summarise(text: string): Intent | undefined {
  const match = /^(?:summari[sz]e|sum\s+up|(?:give\s+me\s+)?(?:an?\s+)?summary\s+of)\b\s*([\s\S]*)$/i.exec(
    text,
  );
  if (match === null) return undefined;
  const rest = (match[1] ?? '')
    .replace(/^(?:the\s+)?(?:following(?:\s+text)?|this(?:\s+text)?|text)?\s*:\s*/i, '')
    .trim();
  if (rest === '' || /^(?:this|the|our)\s+(?:thread|conversation|chat)\b/i.test(rest))
    return { kind: 'summarise_thread' };
  const file = rest.replace(/^(?:the\s+)?file\s+/i, '');
  return isFileName(file)
    ? { kind: 'summarise_file', path: toPath(file) }
    : { kind: 'summarise_text', text: rest };
}

function plan(text: string): Intent | undefined {
  const match =
    /^(?:plan\b|(?:make|write|draw\s+up|give\s+me)\s+(?:me\s+)?a\s+plan\b)\s*(?:for\b|to\b|how\s+to\b|:)?\s*([\s\S]*)$/i.exec(
      text,
    );
  return match === null ? undefined : { kind: 'plan', goal: (match[1] ?? '').replace(/[.!?]+$/, '').trim() };
}

function ask(text: string): Intent | undefined {
  const match = /^ask\s+me\b[\s:]*([\s\S]*)$/i.exec(text);
  if (match === null) return undefined;
  const rest = (match[1] ?? '').replace(/[.!?]+$/, '').trim();
  const options =
    /(?:between|choose(?!\s+between))\s+(.+)$/i
      .exec(rest)?.[1]
      ?.split(/\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+/) ?? [];
  return { kind: 'ask', question: toQuestion(rest, options), options };
}

function toQuestion(rest: string, options: readonly string[]): string {
  if (rest === '' || /^(?:something|a question|anything)$/i.test(rest))
    return 'What would you like to do next?';
  if (options.length > 1) return `Which one do you choose: ${options.join(', ')}?`;
  const about = /^(?:about|for)\s+(.+)$/i.exec(rest)?.[1];
  if (about !== undefined) return `What would you like to tell me about ${about}?`;
  const isQuestion = /^(?:do|did|are|is|can|could|will|would|should|have|has)\b/i.test(rest);
  return isQuestion
    ? `${rest.charAt(0).toUpperCase()}${rest.slice(1)}?`
    : `Please tell me ${addressed(rest)}.`;
}

function addressed(text: string): string {
  return text
    .replace(/\bI am\b/g, 'you are')
    .replace(/\bI\b/g, 'you')
    .replace(/\bmy\b/gi, 'your');
}

function think(text: string): Intent | undefined {
  const match = /^think\b\s*(?:about\b|through\b|of\b|:)?\s*([\s\S]*)$/i.exec(text);
  return match === null
    ? undefined
    : { kind: 'think', about: (match[1] ?? '').replace(/[.!?]+$/, '').trim() };
}

function recall(text: string): Intent | undefined {
  if (/\bwhat(?:'s|\s+is)\s+my\s+name\b|\bwho\s+am\s+i\b/i.test(text)) return { kind: 'recall_name' };
  const asksForPast =
    /\bwhat\s+(?:did|have)\s+i\s+(?:say|said|tell|told|ask|asked|write|written)\b|\bdo\s+you\s+remember\b/i;
  return asksForPast.test(text) ? { kind: 'recall' } : undefined;
}

function small(text: string): Intent | undefined {
  const count = /^count\s+(?:up\s+)?to\s+(\d{1,5})\b/i.exec(text)?.[1];
  if (count !== undefined) return { kind: 'count', to: Math.min(Number(count), 2_000) };
  if (/^show(?:\s+me)?\s+(?:some\s+|a\s+bit\s+of\s+)?(?:markdown|code|a\s+table)\b/i.test(text))
    return { kind: 'show_markdown' };
  if (/^(?:help|who\s+are\s+you|what\s+are\s+you|what\s+can\s+you\s+do)\b/i.test(text))
    return { kind: 'help' };
  if (/^(?:hi|hello|hey|good\s+(?:morning|day|evening))\b[\s!.,]*$/i.test(text)) return { kind: 'greet' };
  return undefined;
}

const QUOTED = /^(?:"[^"]+"|`[^`]+`|'[^']+')$/;

function isFileName(word: string): boolean {
  const name = word.trim();
  if (QUOTED.test(name)) return true;
  return !/\s/.test(name) && (name.startsWith('/') || /\.[A-Za-z0-9]{1,8}[.!?,]?$/.test(name));
}

function toPath(word: string): string {
  const name = unquoted(word.trim().replace(/[.!?,;:]+$/, ''));
  if (name.startsWith('/')) return name;
  const inArea = /^(?:outputs|uploads|workspace)\//.test(name);
  return inArea ? `${ROOT}/${name}` : `${WORKSPACE}/${name.replace(/^\.\//, '')}`;
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return QUOTED.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}

function fileContent(text: string): string {
  const fenced = /^\s*```[^\n]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1];
  const body = fenced ?? text.trim();
  return body.endsWith('\n') ? body : `${body}\n`;
}
