// What a plain request asks the demo model to do. Pure text matching: the first rule that fits wins.

import { z } from 'zod';
import { jsonIn } from '../../json/unknown-json.ts';
import type { JsonObject } from '../../messages/message.ts';

export type Intent =
  | { readonly kind: 'delegate'; readonly tasks: readonly string[] }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'write'; readonly path: string; readonly content: string; readonly append: boolean }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'use'; readonly tool: string; readonly args: JsonObject }
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
  toolNamed,
  delegate,
  runCommand,
  list,
  report,
  replace,
  writeNamedFile,
  writeIntoFile,
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
    /^(?:(?:please|pls|now|then|ok|okay|so|hey|can you|could you|would you|will you|i want you to)[,:]?\s+)+/i;
  const rest = text.replace(prefix, '');
  const mark = /[.!?]$/.exec(rest)?.[0] ?? '';
  const words = rest.slice(0, rest.length - mark.length).trimEnd();
  const asked = words.slice(0, Math.max(0, words.length - 'please'.length));
  const isPolite = /[,\s]$/.test(asked) && words.slice(asked.length).toLowerCase() === 'please';
  return isPolite ? withoutEnd(asked) + mark : rest;
}

/** Returns the text after such a beginning; `undefined` for a text that begins otherwise, or ends there. */
function behind(text: string, beginning: RegExp): string | undefined {
  const match = beginning.exec(text);
  const rest = match === null ? '' : text.slice(match[0].length).trim();
  return rest === '' ? undefined : rest;
}

function withoutStop(text: string): string {
  return text.replace(/(?<![.!?])[.!?]+$/, '').trim();
}

function withoutEnd(text: string): string {
  return text.replace(/(?<![.!?,;:\s])[.!?,;:\s]+$/, '');
}

function lastWord(text: string): { readonly before: string; readonly word: string } {
  const end = text.trimEnd();
  const word = end.split(/\s+/).at(-1) ?? '';
  return { before: end.slice(0, end.length - word.length).trimEnd(), word };
}

/** Returns the text before one of these words at its end, in any case; `undefined` without one. */
function endingWith(text: string, ...words: readonly string[]): string | undefined {
  const { before, word } = lastWord(text);
  return words.includes(word.toLowerCase()) ? before : undefined;
}

export function listed(text: string, separators: RegExp): readonly string[] {
  return text
    .split(separators)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** "in parallel: list the files; read NOTES.md", or with one line per task. */
function delegate(text: string): Intent | undefined {
  const said = behind(text, /^(?:do\s+)?(?:in\s+parallel|at\s+the\s+same\s+time)\b/i) ?? '';
  const tasks = listed(said.replace(/^[:,]/, ''), /[;\n]/).map((task) =>
    task.replace(/^(?:[-*•]|\d+[.)])\s+/, ''),
  );
  return tasks.length === 0 ? undefined : { kind: 'delegate', tasks };
}

/** "run ls -la", "execute `date`", "$ date". */
function runCommand(text: string): Intent | undefined {
  const said = behind(text, /^(?:run|execute)\s/i);
  const command = said === undefined ? behind(text, /^\$\s/) : behind(said, /^(?:the\s+command\b)?\s*:?/i);
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
  const { before, word: file } = lastWord(behind(text, /^(?:replace|change)\s/i) ?? '');
  const inFile = endingWith(endingWith(endingWith(before, 'file') ?? '', 'the') ?? before, 'in');
  const separator = /\s(?:with|by|to|into)\s/i.exec(inFile ?? '');
  if (inFile === undefined || separator === null || !isFileName(file)) return undefined;
  const from = inFile.slice(0, separator.index);
  const to = inFile.slice(separator.index + separator[0].length);
  return { kind: 'replace', path: toPath(file), from: unquoted(from), to: unquoted(to) };
}

/** "write NOTES.md: text", "create a file NOTES.md with text", "write NOTES.md". */
function writeNamedFile(text: string): Intent | undefined {
  const verb = /^(?:write|create|save|make)\s+(?:an?\s+|the\s+)?/i;
  const named = behind(behind(text, verb) ?? '', /^(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?/i) ?? '';
  const file = /^(?:"[^"\n]+"|`[^`\n]+`|[^\s:]+)/.exec(named)?.[0];
  if (file === undefined || !isFileName(file)) return undefined;
  const path = toPath(file);
  const rest = named.slice(file.length).trim();
  const start = /^(?::|with(?:\s+the)?(?:\s+(?:content|text|words))?[:\s])/i.exec(rest)?.[0] ?? '';
  if (rest !== '' && start === '') return undefined;
  const content = rest.slice(start.length);
  if (content.trim() === '') return { kind: 'ask_content', path };
  return { kind: 'write', path, content: fileContent(content), append: false };
}

/** "write hello to NOTES.md", "append hello to NOTES.md". */
function writeIntoFile(text: string): Intent | undefined {
  const { before, word: file } = lastWord(behind(text, /^(?:write|save|put|append|add)\s/i) ?? '');
  const unnamed = endingWith(before, 'file') ?? before;
  const content = endingWith(endingWith(unnamed, 'the') ?? unnamed, 'to', 'into', 'in') ?? '';
  if (content === '' || !isFileName(file)) return undefined;
  const append = /^(?:append|add)\s/i.test(text);
  return { kind: 'write', path: toPath(file), content: fileContent(unquoted(content)), append };
}

function readFiles(text: string): Intent | undefined {
  const verb = /^(?:read|open|show|cat|print|display)(?:\s+me)?\s+(?:the\s+)?(?:files?\s+)?/i;
  const names = listed(behind(text, verb) ?? '', /,|\sand\s/);
  if (names.length === 0 || !names.every(isFileName)) return undefined;
  return { kind: 'read', paths: names.map(toPath) };
}

function summarise(text: string): Intent | undefined {
  const verb = /^(?:summari[sz]e|sum\s+up|(?:give\s+me\s+)?(?:an?\s+)?summary\s+of)\b/i;
  if (!verb.test(text)) return undefined;
  const rest = (behind(text, verb) ?? '')
    .replace(/^(?:the\b\s*)?(?:(?:following|this)\b\s*)?(?:text\b\s*)?:/i, '')
    .trim();
  if (rest === '' || /^(?:this|the|our)\s+(?:thread|conversation|chat)\b/i.test(rest))
    return { kind: 'summarise_thread' };
  const file = rest.replace(/^(?:the\s+)?file\s+/i, '');
  return isFileName(file)
    ? { kind: 'summarise_file', path: toPath(file) }
    : { kind: 'summarise_text', text: rest };
}

function plan(text: string): Intent | undefined {
  const verb = /^(?:plan|(?:make|write|draw\s+up|give\s+me)\s+(?:me\s+)?a\s+plan)\b/i;
  if (!verb.test(text)) return undefined;
  const goal = behind(behind(text, verb) ?? '', /^(?:for\b|to\b|how\s+to\b|:)?/i) ?? '';
  return { kind: 'plan', goal: withoutStop(goal) };
}

function ask(text: string): Intent | undefined {
  if (!/^ask\s+me\b/i.test(text)) return undefined;
  const rest = withoutStop(behind(text, /^ask\s+me\b[\s:]*/i) ?? '');
  const choice = /between\s/i.exec(rest) ?? /choose\s/i.exec(rest);
  const named = choice === null ? '' : rest.slice(choice.index + choice[0].length);
  const options = listed(named, /,|\s(?:or|and)\s/);
  return { kind: 'ask', question: toQuestion(rest, options), options };
}

function toQuestion(rest: string, options: readonly string[]): string {
  if (rest === '' || /^(?:something|a question|anything)$/i.test(rest))
    return 'What would you like to do next?';
  if (options.length > 1) return `Which one do you choose: ${options.join(', ')}?`;
  const about = behind(rest, /^(?:about|for)\s/i);
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
  if (!/^think\b/i.test(text)) return undefined;
  const about = behind(behind(text, /^think\b/i) ?? '', /^(?:about\b|through\b|of\b|:)?/i) ?? '';
  return { kind: 'think', about: withoutStop(about) };
}

function recall(text: string): Intent | undefined {
  const words = text.replace(/\s+/g, ' ').toLowerCase();
  if (/\bwhat(?:'s| is) my name\b|\bwho am i\b/.test(words)) return { kind: 'recall_name' };
  const asksForPast =
    /\bwhat (?:did|have) i (?:say|said|tell|told|ask|asked|write|written)\b|\bdo you remember\b/;
  return asksForPast.test(words) ? { kind: 'recall' } : undefined;
}

const SMALL = [
  [/^show(?:\s+me)?\s+(?:some\s+|a\s+bit\s+of\s+)?(?:markdown|code|a\s+table)\b/i, 'show_markdown'],
  [/^(?:help|who\s+are\s+you|what\s+are\s+you|what\s+can\s+you\s+do)\b/i, 'help'],
  [/^(?:hi|hello|hey|good\s+(?:morning|day|evening))\b[\s!.,]*$/i, 'greet'],
] as const;

function small(text: string): Intent | undefined {
  const count = /^count\s+(?:up\s+)?to\s+(\d{1,5})\b/i.exec(text)?.[1];
  if (count !== undefined) return { kind: 'count', to: Math.min(Number(count), 2_000) };
  const [, kind] = SMALL.find(([words]) => words.test(text)) ?? [];
  return kind && { kind };
}

const QUOTED = /^(?:"[^"]+"|`[^`]+`|'[^']+')$/;

function isFileName(word: string): boolean {
  const name = word.trim();
  if (QUOTED.test(name)) return true;
  return !/\s/.test(name) && (name.startsWith('/') || /\.[A-Za-z0-9]{1,8}[.!?,]?$/.test(name));
}

function toPath(word: string): string {
  const name = unquoted(withoutEnd(word));
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

const argsSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** "use notes_search {"query": "tea"}"; without arguments, a tool's name must have an underscore. */
function toolNamed(text: string): Intent | undefined {
  const match = /^(?:use|call)\s+`?([A-Za-z0-9_-]{1,64})`?(?=\s|$)/i.exec(text);
  const [beginning = '', tool = ''] = match ?? [];
  const rest = text.slice(beginning.length).trim();
  if (rest === '') return tool.includes('_') ? { kind: 'use', tool, args: {} } : undefined;
  const args = argsSchema.safeParse(jsonIn(rest)).data;
  return tool === '' || args === undefined ? undefined : { kind: 'use', tool, args };
}
