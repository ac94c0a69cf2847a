// Assigns the pieces of streamed tool calls to their calls. Servers number calls, give them ids, do both or
// neither, and some begin every call at one number.
import { type Fields, isFields } from '../../json/unknown-json.ts';
import type { CallCollector, CallDelta } from '../calls/call-collector.ts';
import { UnreadableResponse } from '../calls/provider-failure.ts';
import type { EchoRecorder } from '../prompt/provider-echo.ts';
import { textOf } from './wire.ts';

/** Limits for calls without a name, and for characters of their arguments. Names come first or soon. */
const MOST_NAMELESS = 32;
const MOST_EARLY = 65_536;

/** One piece as received. A blank id or name counts as none. */
interface Piece {
  readonly position: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly args: string;
  readonly signature: string | undefined;
}

interface WireCall {
  position: number | undefined;
  id: string | undefined;
  signature: string | undefined;
  name: string | undefined;
  /** The index in the collector, once the call has a name. */
  index: number | undefined;
  /** Arguments that came before the name. */
  early: string;
  readonly end: JsonEnd;
}

export class CallDeltas {
  readonly #collector: CallCollector;
  readonly #echo: Pick<EchoRecorder, 'call'> | undefined;
  readonly #calls: WireCall[] = [];
  #nameless = 0;

  /** `echo` receives signatures. Without it they are dropped. */
  constructor(collector: CallCollector, echo: Pick<EchoRecorder, 'call'> | undefined) {
    this.#collector = collector;
    this.#echo = echo;
  }

  /** Returns the parts of a piece. A call is reported once it has a name. Throws as the collector does. */
  take(fields: Fields): readonly CallDelta[] {
    const piece = pieceOf(fields);
    const call = this.#callOf(piece) ?? this.#begin(piece);
    call.id ??= piece.id;
    call.name ??= piece.name;
    call.signature ??= piece.signature;
    if (call.name === undefined) {
      call.early += piece.args;
      if (call.early.length > MOST_EARLY) throw new UnreadableResponse('A call has arguments but no name.');
      return [];
    }
    return this.#deltasOf(call, call.name, piece.args);
  }

  /** Ends the pieces. A call that never got a name is started without one. */
  end(): void {
    for (const call of this.#calls) if (call.index === undefined) this.#deltasOf(call, '', '');
  }

  #deltasOf(call: WireCall, name: string, args: string): readonly CallDelta[] {
    if (call.index !== undefined) return listed(this.#collector.grow(call.index, args));
    const start = this.#collector.start(call.id ?? '', name);
    call.index = start.index;
    if (call.signature !== undefined && start.id !== undefined)
      this.#echo?.call(start.id, { [SIGNED_BY]: { thoughtSignature: call.signature } });
    return [start, ...listed(this.#collector.grow(start.index, call.early + args))];
  }

  #begin(piece: Piece): WireCall {
    const { position, id, signature, name } = piece;
    const call = { position, id, signature, name, index: undefined, early: '', end: new JsonEnd() };
    if (name === undefined && ++this.#nameless > MOST_NAMELESS)
      throw new UnreadableResponse('Too many calls have no name.');
    this.#calls.push(call);
    return call;
  }

  #callOf(piece: Piece): WireCall | undefined {
    const known = this.#known(piece);
    return known === undefined || this.#isAnother(piece, known) ? undefined : known;
  }

  #known({ position, id, name }: Piece): WireCall | undefined {
    const byId = () => (id === undefined ? undefined : this.#calls.findLast((call) => call.id === id));
    if (position !== undefined) {
      const here = this.#calls.findLast((call) => call.position === position);
      return here ?? (name === undefined ? byId() : undefined);
    }
    if (id !== undefined) return byId();
    return name === undefined ? this.#calls.at(-1) : undefined;
  }

  /** Whether a piece begins another call in the place of a known one. Only a name begins a call. */
  #isAnother({ id, name, args }: Piece, known: WireCall): boolean {
    if (name === undefined || known.name === undefined) return false;
    if (name !== known.name) return true;
    if (id !== undefined && known.id !== undefined && id !== known.id) return true;
    // Some servers repeat the name with every piece.
    return (
      beginsJson(args) &&
      known.index !== undefined &&
      known.end.isReached(this.#collector.argsOf(known.index))
    );
  }
}

/** Gemini signs its calls even behind servers that speak chat completions, and wants the signatures back. */
const SIGNED_BY = 'compatible';

function pieceOf({ index, id, function: named, extra_content: extra }: Fields): Piece {
  const { name, arguments: args } = isFields(named) ? named : {};
  const google = isFields(extra) && isFields(extra.google) ? extra.google : {};
  return {
    position: typeof index === 'number' ? index : undefined,
    id: given(id),
    name: given(name),
    args: textOf(args) ?? '',
    signature: given(google.thought_signature),
  };
}

function given(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function listed(delta: CallDelta | undefined): readonly CallDelta[] {
  return delta === undefined ? [] : [delta];
}

function beginsJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** Finds the end of a JSON object or list in a growing text. Each character is read once. */
class JsonEnd {
  #at = 0;
  #depth = 0;
  #isInText = false;
  #isReached = false;

  isReached(text: string): boolean {
    while (!this.#isReached && this.#at < text.length) this.#take(text[this.#at++]);
    return this.#isReached;
  }

  #take(character: string | undefined): void {
    if (this.#isInText) {
      if (character === '\\') this.#at++;
      else if (character === '"') this.#isInText = false;
      return;
    }
    if (character === '"') this.#isInText = true;
    else if (character === '{' || character === '[') this.#depth++;
    else if (character === '}' || character === ']') this.#isReached = --this.#depth === 0;
  }
}
