// Brings the message that the address names into view, once it is there.
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasMessage } from './turns.ts';
import type { Conversation } from './use-conversation.ts';
import type { StickToBottom } from './use-stick-to-bottom.ts';

const GLOW_MS = 2_500;

/** A message of a branch that is not shown stays where it is. */
export function useShownMessage(
  { turns }: Conversation,
  { content, toElement }: Pick<StickToBottom, 'content' | 'toElement'>,
): void {
  const messageId = useLocation({ select: ({ hash }) => hash });
  const isThere = turns.some((turn) => hasMessage(turn, messageId));
  useEffect(() => {
    const find = () =>
      [...(content.current?.querySelectorAll('[data-message]') ?? [])].find(
        (it) => it.getAttribute('data-message') === messageId,
      );
    const show = () => {
      const element = find();
      if (element === undefined) return undefined;
      element.closest('details')?.setAttribute('open', '');
      toElement(element);
      return element;
    };
    if (!isThere) return;
    const glow = { backgroundColor: ['var(--primary-soft)', 'var(--primary-soft)', ''] };
    show()?.animate(glow, { duration: GLOW_MS });
    // Code and pictures take their room when they are drawn.
    const drawn = setTimeout(show, 300);
    return () => clearTimeout(drawn);
  }, [isThere, messageId, content, toElement]);
}
