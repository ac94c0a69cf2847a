// The state of a thread and the deltas from which it is folded. Pure: no clock, no storage.
import { type JsonObject, type Message, REMOVE_ALL_MESSAGES, type RemoveMessage } from './message.ts';
import { serializedMessage } from './serialized-message.ts';

/** The state at a checkpoint. `values` holds every field but the messages: title, artifacts, todos ... */
export interface ThreadState {
  readonly messages: readonly Message[];
  readonly values: JsonObject;
}

/** The changes of one step. Messages are appended, replaced by id or removed; `values` replaces fields. */
export interface StateDelta {
  readonly messages: readonly (Message | RemoveMessage)[];
  readonly values: JsonObject;
}

export const EMPTY_STATE: ThreadState = Object.freeze({
  messages: Object.freeze([]),
  values: Object.freeze({}),
});

export const NO_CHANGE: StateDelta = Object.freeze({
  messages: Object.freeze([]),
  values: Object.freeze({}),
});

export function isEmptyDelta(delta: StateDelta): boolean {
  return delta.messages.length === 0 && Object.keys(delta.values).length === 0;
}

/** The state after a delta, and the bytes of the state before that are no longer needed. */
export interface Fold {
  readonly state: ThreadState;
  readonly deadBytes: number;
  /** Ids of messages that the delta removed, or that it contained though the state had them. */
  readonly touched: readonly string[];
}

/** Applies one delta. The state before stays unchanged. */
export function foldDelta(before: ThreadState, delta: StateDelta): Fold {
  const { messages, deadBytes, touched } = foldMessages(before.messages, delta.messages);
  const keys = Object.keys(delta.values);
  if (keys.length === 0) return { state: { ...before, messages }, deadBytes, touched };
  const replaced = keys.filter((key) => key in before.values);
  const deadValues = replaced.reduce((bytes, key) => bytes + JSON.stringify(before.values[key]).length, 0);
  return {
    state: { messages, values: { ...before.values, ...delta.values } },
    deadBytes: deadBytes + deadValues,
    touched,
  };
}

/** Returns the state that the deltas, oldest first, add up to. Linear in their total size. */
export function foldDeltas(deltas: Iterable<StateDelta>): ThreadState {
  const messages = new Map<string, Message>();
  let values: JsonObject = {};
  for (const delta of deltas) {
    for (const change of delta.messages) {
      if (change.type !== 'remove') messages.set(change.id, change);
      else if (change.id === REMOVE_ALL_MESSAGES) messages.clear();
      else messages.delete(change.id);
    }
    if (Object.keys(delta.values).length > 0) values = { ...values, ...delta.values };
  }
  return { messages: [...messages.values()], values };
}

interface FoldedMessages extends Pick<Fold, 'deadBytes' | 'touched'> {
  readonly messages: readonly Message[];
}

function foldMessages(
  before: readonly Message[],
  changes: readonly (Message | RemoveMessage)[],
): FoldedMessages {
  if (changes.length === 0) return { messages: before, deadBytes: 0, touched: [] };
  const list = new ChangingList(before);
  for (const change of changes) {
    if (change.type !== 'remove') list.put(change);
    else if (change.id === REMOVE_ALL_MESSAGES) list.clear();
    else list.remove(change.id);
  }
  return list.done();
}

/**
 * A copy of a list of messages under change, and what the changes took from it. A removed message leaves a
 * gap, and the gaps are closed once: moving later messages for each would cost removals times messages.
 */
class ChangingList {
  #messages: Message[];
  #places: Places;
  #gaps = new Set<number>();
  #deadBytes = 0;
  readonly #touched = new Set<string>();

  constructor(before: readonly Message[]) {
    this.#messages = [...before];
    this.#places = placesIn(before);
  }

  put(message: Message): void {
    const place = this.#places.get(message.id) ?? this.#messages.length;
    this.#bury(this.#messages[place]);
    this.#places.set(message.id, place);
    this.#messages[place] = message;
  }

  remove(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#bury(this.#messages[place]);
    this.#places.delete(id);
    this.#gaps.add(place);
  }

  clear(): void {
    for (const [place, message] of this.#messages.entries()) if (!this.#gaps.has(place)) this.#bury(message);
    this.#messages = [];
    this.#places = new Map();
    this.#gaps = new Set();
  }

  done(): FoldedMessages {
    if (this.#gaps.size > 0) {
      this.#messages = this.#messages.filter((_, place) => !this.#gaps.has(place));
      this.#places = placesOf(this.#messages);
    }
    knownPlaces.set(this.#messages, this.#places);
    return { messages: this.#messages, deadBytes: this.#deadBytes, touched: [...this.#touched] };
  }

  #bury(message: Message | undefined): void {
    if (message === undefined) return;
    this.#deadBytes += serializedMessage(message).bytes;
    this.#touched.add(message.id);
  }
}

type Places = Map<string, number>;

/** Indexes of messages in a list, by id. Searching the list would make a turn cost as much as its thread. */
const knownPlaces = new WeakMap<readonly Message[], Places>();

/** Takes the positions from this list for the one that continues it. A branch has to count them again. */
function placesIn(messages: readonly Message[]): Places {
  const known = knownPlaces.get(messages);
  knownPlaces.delete(messages);
  return known ?? placesOf(messages);
}

function placesOf(messages: readonly Message[]): Places {
  return new Map(messages.map(({ id }, place) => [id, place]));
}

/** Returns the JSON text of a delta, made from the messages' own texts. */
export function serializedDelta(delta: StateDelta): string {
  return `{"messages":${serializedMessages(delta.messages)},"values":${JSON.stringify(delta.values)}}`;
}

/** Returns a state's JSON text for `values` frames, `wait` responses and state routes: one flat object. */
export function serializedValues(state: StateDelta | ThreadState, extra?: JsonObject): string {
  const fields = JSON.stringify(extra === undefined ? state.values : { ...state.values, ...extra });
  const rest = fields === '{}' ? '' : `,${fields.slice(1, -1)}`;
  return `{"messages":${serializedMessages(state.messages)}${rest}}`;
}

/** Yields the pieces of the text that `serializedValues` returns, none longer than a message or a field. */
export function* piecesOfValues(state: ThreadState | StateDelta): Generator<string> {
  yield '{"messages":';
  yield* piecesOfMessages(state.messages);
  for (const [key, value] of Object.entries(state.values)) {
    // Undefined fields are omitted, as everywhere in JSON.
    if (value !== undefined) yield `,${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  yield '}';
}

/** Yields the pieces of the text that `serializedMessages` returns, none longer than a message. */
export function* piecesOfMessages(messages: StateDelta['messages']): Generator<string> {
  let before = '[';
  for (const message of messages) {
    yield before + changeText(message);
    before = ',';
  }
  yield messages.length === 0 ? '[]' : ']';
}

function changeText(message: Message | RemoveMessage): string {
  return message.type === 'remove' ? JSON.stringify(message) : serializedMessage(message).text;
}

/** Returns the JSON text of one node's changes, as an `updates` frame shows it. */
export function serializedUpdate(delta: StateDelta): string {
  return delta.messages.length === 0 ? JSON.stringify(delta.values) : serializedValues(delta);
}

/** Returns the JSON text of a list of messages, made from their own texts. */
export function serializedMessages(messages: StateDelta['messages']): string {
  return `[${messages.map(changeText).join(',')}]`;
}
