// Splits a stream of server-sent events into the data of its events, as the bytes arrive.
import { StringDecoder } from 'node:string_decoder';
import { UnreadableResponse } from '../calls/provider-failure.ts';

/** Most characters of an event. Some servers send a call whole; longer events would block the process. */
const MOST_CHARACTERS = 8_388_608;

/** Reads the body of one reply. A body that is one JSON object instead of a stream counts as one event. */
export class SseReader {
  readonly #decoder = new StringDecoder('utf8');
  #kind: 'unknown' | 'events' | 'object' = 'unknown';
  #line: string[] = [];
  #data: string | undefined;
  #kept = 0;
  #endedWithReturn = false;

  /** Returns the data of the events that end here. Throws `UnreadableResponse` for one that is too long. */
  push(bytes: Uint8Array): readonly string[] {
    const text = this.#decoder.write(bytes);
    if (this.#kind === 'unknown') this.#kind = kindOf(text);
    if (this.#kind === 'events') return this.#events(this.#withPlainEnds(text));
    this.#keep(text);
    return [];
  }

  /** Returns what the end of the body completes. An event without its blank line does not count. */
  end(): readonly string[] {
    return this.#kind === 'object' ? [this.#line.join('')] : [];
  }

  #events(text: string): readonly string[] {
    const events: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#takeLine(this.#wholeLine(text.slice(start, end)), events);
      start = end + 1;
    }
    this.#keep(text.slice(start));
    return events;
  }

  /** Converts `\r\n` and a lone `\r`, which also end a line. A piece of the body may end between the two. */
  #withPlainEnds(text: string): string {
    const rest = this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#endedWithReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  }

  #keep(text: string): void {
    if (text === '') return;
    this.#line.push(text);
    this.#count(text);
  }

  #count(text: string): void {
    this.#kept += text.length;
    if (this.#kept > MOST_CHARACTERS) throw new UnreadableResponse('An event is longer than the limit.');
  }

  #wholeLine(rest: string): string {
    if (this.#line.length === 0) return rest;
    this.#line.push(rest);
    const line = this.#line.join('');
    this.#line = [];
    // The whole line is counted again, if it belongs to the event.
    this.#kept -= line.length - rest.length;
    return line;
  }

  #takeLine(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data !== undefined && this.#data !== '') events.push(this.#data);
      this.#data = undefined;
      this.#kept = 0;
    } else if (line.startsWith('data:')) {
      const data = line.slice(line[5] === ' ' ? 6 : 5);
      this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
      this.#count(line);
    }
    // Comments, and the names, ids and retry times of events hold nothing of a reply.
  }
}

function kindOf(text: string): 'unknown' | 'events' | 'object' {
  const beginning = text.trimStart();
  if (beginning === '') return 'unknown';
  return beginning.startsWith('{') ? 'object' : 'events';
}
