// Joins chat-completion events that arrived together and differ in one piece of text, before the package parses them.
//
// Parsing and checking an event costs the package ten microseconds and more, which a busy service pays for every token
// of every run. Nobody waits for a joined event: only what the network delivered together is joined, and the lengths of
// the pieces are told, so that readers see the pieces as they came. Text that may take the shortcut is not passed on.
import type { TextField, TextShortcut } from './text-shortcut.ts';

/** Characters of JSON text after which a joined event is sent, however much arrived together. */
const JOINED_LENGTH = 512;

/** Templates learned in a row without use before learning stops: every event differs in more than its text. */
const MOST_USELESS_TEMPLATES = 8;

/** Characters of an unfinished event that are kept; a larger one is passed on in pieces, and with it all that follows. */
const MOST_BUFFERED = 1_000_000;

/** All of an event but the text of its delta. */
interface Template {
  readonly field: TextField;
  readonly before: string;
  readonly after: string;
}

/** The text of one event, as it stands in the JSON, and its length when it is read. */
interface Piece {
  readonly json: string;
  readonly length: number;
}

/** The same answer in fewer events. What it does not know for certain to be one more piece of text, it leaves alone. */
export class EventJoiner {
  readonly #shortcut: TextShortcut;
  #carry = '';
  #out = '';
  #template: Template | undefined;
  /** The text that waits to be sent in the template. */
  #joined: string | undefined;
  #lengths: number[] = [];
  #useless = 0;
  #isOff = false;

  /** `shortcut` is told of every event before it is passed on. */
  constructor(shortcut: TextShortcut) {
    this.#shortcut = shortcut;
  }

  /** Takes text as it comes from the network and gives back what can be passed on: whole events. */
  push(text: string): string {
    if (this.#isOff) return text;
    const all = this.#carry + text;
    // Other line ends, and events that are no small ones, are the package's own business.
    if (text.includes('\r') || all.length > MOST_BUFFERED) {
      this.#isOff = true;
      this.#shortcut.shut();
      return all;
    }
    this.#out = '';
    let start = 0;
    for (let end = all.indexOf('\n\n'); end !== -1; end = all.indexOf('\n\n', start)) {
      this.#take(all.slice(start, end));
      start = end + 2;
    }
    this.#carry = all.slice(start);
    this.#flush();
    return this.#out;
  }

  /** What is left at the end of the stream. */
  end(): string {
    return this.#isOff ? '' : this.#carry;
  }

  #take(event: string): void {
    const said = withoutPadding(event);
    const piece = this.#template === undefined ? undefined : pieceOf(said, this.#template);
    if (piece === undefined) this.#begin(event, said);
    else this.#join(piece);
  }

  #join({ json, length }: Piece): void {
    this.#useless = 0;
    this.#joined = (this.#joined ?? '') + json;
    this.#lengths.push(length);
    if (this.#joined.length >= JOINED_LENGTH) this.#flush();
  }

  #begin(event: string, said: string): void {
    this.#flush();
    this.#template = this.#useless < MOST_USELESS_TEMPLATES ? templateOf(said) : undefined;
    const piece = this.#template === undefined ? undefined : pieceOf(said, this.#template);
    if (piece === undefined) {
      this.#shortcut.passEvent(event);
      this.#out += `${event}\n\n`;
      return;
    }
    this.#useless += 1;
    this.#joined = piece.json;
    this.#lengths.push(piece.length);
  }

  #flush(): void {
    if (this.#template !== undefined && this.#joined !== undefined) this.#send(this.#template, this.#joined);
    this.#joined = undefined;
    this.#lengths = [];
  }

  #send({ field, before, after }: Template, json: string): void {
    const text = NOT_PLAIN.test(json) ? parsed(`"${json}"`) : json;
    if (typeof text === 'string' && this.#shortcut.take(field, text, this.#lengths)) return;
    this.#shortcut.passText(field, this.#lengths);
    this.#out += `${before}${json}${after}\n\n`;
  }
}

const NOT_PLAIN = /[\\\p{Cc}]/u;

const PADDING = ',"obfuscation":"';

/** OpenAI makes the size of events random, so that nobody guesses the text from it. */
function withoutPadding(event: string): string {
  const at = event.lastIndexOf(PADDING);
  if (at === -1) return event;
  const end = stringEnd(event, at + PADDING.length);
  return event.slice(0, at) + event.slice(end + 1);
}

/** Characters of a JSON string, without the quote that ends it. */
const STRING_CONTENT = /(?:[^"\\]|\\.)*/y;

function pieceOf(event: string, { before, after }: Template): Piece | undefined {
  const end = event.length - after.length;
  if (end < before.length || !event.startsWith(before) || !event.endsWith(after)) return undefined;
  if (stringEnd(event, before.length) !== end) return undefined;
  const json = event.slice(before.length, end);
  const length = json.includes('\\') ? readLength(json) : json.length;
  return length === undefined ? undefined : { json, length };
}

function readLength(json: string): number | undefined {
  const text = parsed(`"${json}"`);
  return typeof text === 'string' ? text.length : undefined;
}

function stringEnd(event: string, start: number): number {
  STRING_CONTENT.lastIndex = start;
  STRING_CONTENT.test(event);
  return STRING_CONTENT.lastIndex;
}

const PREFIX = 'data: ';
const FIELDS: readonly TextField[] = ['content', 'reasoning_content', 'reasoning'];

function templateOf(event: string): Template | undefined {
  if (!event.startsWith(PREFIX) || event.includes('\n') || event.includes('\r')) return undefined;
  for (const field of FIELDS) {
    const key = `"${field}":"`;
    const at = event.indexOf(key);
    if (at === -1) continue;
    const start = at + key.length;
    const template = { field, before: event.slice(0, start), after: event.slice(stringEnd(event, start)) };
    if (isOnlyText(template)) return template;
  }
  return undefined;
}

// Tried out: with another text in its place, exactly that text must be the only thing that the event says.
function isOnlyText({ field, before, after }: Template): boolean {
  const choices = fieldOf(parsed(`${before.slice(PREFIX.length)}?${after}`), 'choices', ['usage', 'error']);
  const delta = fieldOf(only(choices), 'delta', ['finish_reason', 'logprobs']);
  const said = Object.entries(isObject(delta) ? delta : {}).filter(
    ([name, value]) => name !== 'role' && !isBlank(value),
  );
  const [first] = said;
  return said.length === 1 && first !== undefined && first[0] === field && first[1] === '?';
}

/** `value[name]`, when the other fields that would matter are absent. */
function fieldOf(value: unknown, name: string, blank: readonly string[]): unknown {
  if (!isObject(value) || !blank.every((it) => isBlank(value[it]))) return undefined;
  return value[name];
}

function only(list: unknown): unknown {
  return Array.isArray(list) && list.length === 1 ? list[0] : undefined;
}

function isBlank(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
