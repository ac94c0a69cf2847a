// The key that sends a message.
import type { KeyboardEvent } from 'react';

const touch = matchMedia('(hover: none) and (pointer: coarse)');

/** Whether Enter starts a new line: the keyboard of a phone has no Shift+Enter. */
export function startsLineOnEnter(): boolean {
  return touch.matches;
}

/**
 * Whether the key sends. Enter does where it starts no new line, and Ctrl+Enter or Command+Enter everywhere.
 * While an input method composes a word, Enter belongs to it.
 */
export function isSendKey(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return false;
  return event.ctrlKey || event.metaKey || (!event.shiftKey && !startsLineOnEnter());
}
