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
export const EMPTY_DELTA: StateDelta = Object.freeze({
  messages: Object.freeze([]),
  values: Object.freeze({}),
});

export function isEmptyDelta(delta: StateDelta): boolean {
  return delta.messages.length === 0 && Object.keys(delta.values).length === 0;
}

/** The state after the delta; the state before stays as it was. */
export function applyDelta(state: ThreadState, delta: StateDelta): ThreadState {
  return {
    messages: reduceMessages(state.messages, delta.messages),
    values: Object.keys(delta.values).length === 0 ? state.values : { ...state.values, ...delta.values },
  };
}

function reduceMessages(
  current: readonly Message[],
  changes: readonly (Message | RemoveMessage)[],
): readonly Message[] {
  if (changes.length === 0) return current;
  let messages = [...current];
  // Built only when a change may hit an older message: a plain append must not walk the history.
  let positions: Map<string, number> | undefined;
  for (const change of changes) {
    if (change.type === 'remove') {
      messages =
        change.id === REMOVE_ALL_MESSAGES ? [] : messages.filter((message) => message.id !== change.id);
      positions = undefined;
      continue;
    }
    positions ??= new Map(messages.map((message, index) => [message.id, index]));
    const index = positions.get(change.id);
    if (index === undefined) positions.set(change.id, messages.push(change) - 1);
    else messages[index] = change;
  }
  return messages;
}

/** JSON text of a delta, made from the messages' own texts. */
export function serializedDelta(delta: StateDelta): string {
  return `{"messages":${serializedMessages(delta.messages)},"values":${JSON.stringify(delta.values)}}`;
}

/** JSON text of a state as a `values` frame, a `wait` answer and the state routes show it: one flat object. */
export function serializedValues(state: ThreadState, extra?: JsonObject): string {
  const fields = JSON.stringify(extra === undefined ? state.values : { ...state.values, ...extra });
  const rest = fields === '{}' ? '' : `,${fields.slice(1, -1)}`;
  return `{"messages":${serializedMessages(state.messages)}${rest}}`;
}

function serializedMessages(messages: readonly (Message | RemoveMessage)[]): string {
  const texts = messages.map((message) =>
    message.type === 'remove' ? JSON.stringify(message) : serializedMessage(message).text,
  );
  return `[${texts.join(',')}]`;
}
