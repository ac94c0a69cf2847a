// Brings the message that the address names into view, once it is there.
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Conversation } from './use-conversation.ts';
import type { StickToBottom } from './use-stick-to-bottom.ts';

const GLOW_MS = 2_500;

/** A message of a branch that is not shown stays where it is. */
export function useShownMessage(
  { turns }: Conversation,
  { content, toElement }: Pick<StickToBottom, 'content' | 'toElement'>,
): void {
  const messageId = useLocation({ select: ({ hash }) => hash });
  const isThere =
    messageId !== '' &&
    turns.some(({ human, steps }) => human?.id === messageId || steps.some(({ id }) => id === messageId));
  useEffect(() => {
    const messages = content.current?.querySelectorAll('[data-message]') ?? [];
    const element = [...messages].find((it) => it.getAttribute('data-message') === messageId);
    if (!isThere || element === undefined) return;
    toElement(element);
    const glow = { backgroundColor: ['var(--primary-soft)', 'var(--primary-soft)', ''] };
    element.animate(glow, { duration: GLOW_MS });
    // Code and pictures take their room when they are drawn.
    const drawn = setTimeout(() => toElement(element), 300);
    return () => clearTimeout(drawn);
  }, [isThere, messageId, content, toElement]);
}
