// The state of a thread and the deltas it is a fold of. Pure: no clock, no storage.
import { type JsonObject, type Message, REMOVE_ALL_MESSAGES, type RemoveMessage } from './message.ts';
import { serializedMessage } from './serialized-message.ts';

/** What a checkpoint stands for. `values` holds every field but the messages: title, artifacts, todos ... */
export interface ThreadState {
  readonly messages: readonly Message[];
  readonly values: JsonObject;
}

/** What one step changed: messages are appended, replaced by id or removed; a field in `values` replaces. */
export interface StateDelta {
  readonly messages: readonly (Message | RemoveMessage)[];
  readonly values: JsonObject;
}

export const EMPTY_STATE: ThreadState = Object.freeze({
  messages: Object.freeze([]),
  values: Object.freeze({}),
});

export function isEmptyDelta(delta: StateDelta): boolean {
  return delta.messages.length === 0 && Object.keys(delta.values).length === 0;
}

/** The state after the delta, and how many bytes of the state before nobody needs any more. */
export interface Fold {
  readonly state: ThreadState;
  readonly deadBytes: number;
}

/** Applies one delta; the state before stays as it was. */
export function foldDelta(before: ThreadState, delta: StateDelta): Fold {
  const folded = foldMessages(before.messages, delta.messages);
  const keys = Object.keys(delta.values);
  if (keys.length === 0)
    return { state: { ...before, messages: folded.messages }, deadBytes: folded.deadBytes };
  const replaced = keys.filter((key) => key in before.values);
  const deadValues = replaced.reduce((bytes, key) => bytes + JSON.stringify(before.values[key]).length, 0);
  return {
    state: { messages: folded.messages, values: { ...before.values, ...delta.values } },
    deadBytes: folded.deadBytes + deadValues,
  };
}

/** The state that deltas add up to, oldest first; linear in their total size. */
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

interface FoldedMessages {
  readonly messages: readonly Message[];
  readonly deadBytes: number;
}

function foldMessages(
  before: readonly Message[],
  changes: readonly (Message | RemoveMessage)[],
): FoldedMessages {
  if (changes.length === 0) return { messages: before, deadBytes: 0 };
  let messages = [...before];
  let deadBytes = 0;
  for (const change of changes) {
    if (change.type === 'remove' && change.id === REMOVE_ALL_MESSAGES) {
      deadBytes += messages.reduce((bytes, message) => bytes + serializedMessage(message).bytes, 0);
      messages = [];
    } else {
      const old = putMessage(messages, change);
      if (old !== undefined) deadBytes += serializedMessage(old).bytes;
    }
  }
  return { messages, deadBytes };
}

/** Changes the list in place and answers the message that the change took the place of. */
function putMessage(messages: Message[], change: Message | RemoveMessage): Message | undefined {
  // From the end: what a step replaces is nearly always what the step before wrote.
  const index = messages.findLastIndex((message) => message.id === change.id);
  const old = messages[index];
  if (change.type !== 'remove') messages[old === undefined ? messages.length : index] = change;
  else if (old !== undefined) messages.splice(index, 1);
  return old;
}

/** JSON text of a delta, made from the messages' own texts. */
export function serializedDelta(delta: StateDelta): string {
  return `{"messages":${serializedMessages(delta.messages)},"values":${JSON.stringify(delta.values)}}`;
}

/** JSON text of a state as a `values` frame, a `wait` answer and the state routes show it: one flat object. */
export function serializedValues(state: StateDelta | ThreadState, extra?: JsonObject): string {
  const fields = JSON.stringify(extra === undefined ? state.values : { ...state.values, ...extra });
  const rest = fields === '{}' ? '' : `,${fields.slice(1, -1)}`;
  return `{"messages":${serializedMessages(state.messages)}${rest}}`;
}

/** JSON text of what one node changed, as an `updates` frame shows it. */
export function serializedUpdate(delta: StateDelta): string {
  return delta.messages.length === 0 ? JSON.stringify(delta.values) : serializedValues(delta);
}

/** JSON text of a list of messages, made of their own texts. */
export function serializedMessages(messages: readonly (Message | RemoveMessage)[]): string {
  const texts = messages.map((message) =>
    message.type === 'remove' ? JSON.stringify(message) : serializedMessage(message).text,
  );
  return `[${texts.join(',')}]`;
}
