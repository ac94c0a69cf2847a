// Joins chat-completion events that arrived together and differ in one piece of text, before the package parses them.
//
// Parsing and checking an event costs the package several microseconds, which a busy service pays for every token of
// every run. Events that the network delivers one by one pass as they are, so nobody waits for a joined one.

/** Characters of JSON text after which a joined event is sent: enough to matter, and still a small step on a screen. */
const JOINED_LENGTH = 128;

/** Templates learned in a row without use before learning stops: every event differs, for example by random padding. */
const MOST_USELESS_TEMPLATES = 8;

/** Characters of an unfinished event that are kept; a larger one is passed on in pieces, and with it all that follows. */
const MOST_BUFFERED = 1_000_000;

/** All of an event but the text of its delta. */
interface Template {
  readonly before: string;
  readonly after: string;
}

/** The same answer in fewer events. What it does not know for certain to be one more piece of text, it leaves alone. */
export class DeltaMerger {
  #carry = '';
  #out = '';
  #template: Template | undefined;
  /** The text that waits to be sent in the template. */
  #joined: string | undefined;
  #useless = 0;
  #isOff = false;

  /** Takes text as it comes from the network and gives back what can be passed on: whole events. */
  push(text: string): string {
    if (this.#isOff) return text;
    const all = this.#carry + text;
    // Other line ends, and events that are no small ones, are the package's own business.
    if (text.includes('\r') || all.length > MOST_BUFFERED) {
      this.#isOff = true;
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
    const piece = this.#template === undefined ? undefined : pieceOf(event, this.#template);
    if (piece === undefined) this.#begin(event);
    else this.#join(piece);
  }

  #join(piece: string): void {
    this.#useless = 0;
    this.#joined = (this.#joined ?? '') + piece;
    if (this.#joined.length >= JOINED_LENGTH) this.#flush();
  }

  #begin(event: string): void {
    this.#flush();
    this.#template = this.#useless < MOST_USELESS_TEMPLATES ? templateOf(event) : undefined;
    this.#joined = this.#template === undefined ? undefined : pieceOf(event, this.#template);
    if (this.#joined === undefined) this.#out += `${event}\n\n`;
    else this.#useless += 1;
  }

  #flush(): void {
    if (this.#template !== undefined && this.#joined !== undefined) {
      this.#out += `${this.#template.before}${this.#joined}${this.#template.after}\n\n`;
    }
    this.#joined = undefined;
  }
}

/** Characters of a JSON string, without the quote that ends it. */
const STRING_CONTENT = /(?:[^"\\]|\\.)*/y;

function pieceOf(event: string, { before, after }: Template): string | undefined {
  const end = event.length - after.length;
  if (end < before.length || !event.startsWith(before) || !event.endsWith(after)) return undefined;
  return stringEnd(event, before.length) === end ? event.slice(before.length, end) : undefined;
}

function stringEnd(event: string, start: number): number {
  STRING_CONTENT.lastIndex = start;
  STRING_CONTENT.test(event);
  return STRING_CONTENT.lastIndex;
}

const PREFIX = 'data: ';
const FIELDS = ['content', 'reasoning_content', 'reasoning', 'arguments'] as const;

function templateOf(event: string): Template | undefined {
  if (!event.startsWith(PREFIX) || event.includes('\n') || event.includes('\r')) return undefined;
  for (const field of FIELDS) {
    const key = `"${field}":"`;
    const at = event.indexOf(key);
    if (at === -1) continue;
    const start = at + key.length;
    const template = { before: event.slice(0, start), after: event.slice(stringEnd(event, start)) };
    if (isOnlyText(field, template)) return template;
  }
  return undefined;
}

// Tried out: with another text in its place, exactly that text must be the only thing that the event says.
function isOnlyText(field: (typeof FIELDS)[number], { before, after }: Template): boolean {
  const choices = fieldOf(parsed(`${before.slice(PREFIX.length)}?${after}`), 'choices', ['usage', 'error']);
  const delta = fieldOf(only(choices), 'delta', ['finish_reason', 'logprobs']);
  const said = Object.entries(isObject(delta) ? delta : {}).filter(
    ([name, value]) => name !== 'role' && !isBlank(value),
  );
  const [first] = said;
  if (said.length !== 1 || first === undefined) return false;
  if (field !== 'arguments') return first[0] === field && first[1] === '?';
  const call = only(first[0] === 'tool_calls' ? first[1] : undefined);
  return fieldOf(fieldOf(call, 'function', ['id']), 'arguments', ['name']) === '?';
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
