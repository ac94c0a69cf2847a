// What a step changed in messages that the conversation already had. Pure.
import type { Message } from './message.ts';
import { serializedMessage } from './serialized-message.ts';
import type { Fold, StateDelta, ThreadState } from './thread-state.ts';

export type MessageChange =
  | { readonly kind: 'edited'; readonly message: Message }
  | { readonly kind: 'removed'; readonly message: Message }
  /** Sent again, word for word. */
  | { readonly kind: 'repeated'; readonly message: Message };

/** Returns the earlier messages that the fold touched: each as it is now, or as it was if it was removed. */
export function messageChanges(before: ThreadState, { state, touched }: Fold): readonly MessageChange[] {
  if (touched.length === 0) return [];
  const ids = new Set(touched);
  const after = new Map(state.messages.flatMap((it) => (ids.has(it.id) ? [[it.id, it] as const] : [])));
  return before.messages.flatMap((was): readonly MessageChange[] => {
    if (!ids.has(was.id)) return [];
    const message = after.get(was.id);
    if (message === undefined) return [{ kind: 'removed', message: was }];
    const isSame = serializedMessage(message).text === serializedMessage(was).text;
    return [{ kind: isSame ? 'repeated' : 'edited', message }];
  });
}

/** Returns the messages of a delta that the state before did not have. */
export function newMessages(before: ThreadState, delta: StateDelta): readonly Message[] {
  const known = new Set(before.messages.map(({ id }) => id));
  return delta.messages.flatMap((it) => (it.type === 'remove' || known.has(it.id) ? [] : [it]));
}
