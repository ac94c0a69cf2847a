// The scroll position of a conversation: at its end while a reply grows, or at the message that a search
// found.
import { useLocation } from '@tanstack/react-router';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { hasMessage } from '../conversation/turns.ts';
import type { Conversation } from '../conversation/use-conversation.ts';

export interface StickToBottom {
  /** The element that scrolls. */
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The element inside it that grows. */
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtBottom: boolean;
  readonly toBottom: () => void;
  /** Scrolls to an element inside and stays there. */
  readonly toElement: (element: Element) => void;
}

const NEAR_PX = 64;
/** At a smaller distance, the button would cover what it scrolls to. */
const FAR_PX = 160;

/** Sticks to the bottom only with `isActive`: a welcome is read from the top. */
export function useStickToBottom(isActive: boolean): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  const [isAtBottom, setAtBottom] = useState(true);

  const toBottom = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    sticks.current = true;
    setAtBottom(true);
    element.scrollTop = element.scrollHeight;
  }, []);

  const toElement = useCallback((element: Element) => {
    sticks.current = false;
    element.scrollIntoView({ block: 'center' });
  }, []);

  useLayoutEffect(() => {
    if (isActive && sticks.current) toBottom();
  }, [isActive, toBottom]);

  useEffect(() => {
    const element = scroller.current;
    const inside = content.current;
    if (element === null || inside === null || !isActive) return;
    const scrolled = () => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      // Only scrolling up detaches: growing content changes the distance too.
      if (left < NEAR_PX) sticks.current = true;
      else if (element.scrollTop < lastTop.current) sticks.current = false;
      lastTop.current = element.scrollTop;
      setAtBottom(sticks.current || left < FAR_PX);
    };
    const grown = new ResizeObserver(() => {
      if (sticks.current) element.scrollTop = element.scrollHeight;
      else scrolled();
    });
    element.addEventListener('scroll', scrolled, { passive: true });
    grown.observe(inside);
    grown.observe(element);
    return () => {
      element.removeEventListener('scroll', scrolled);
      grown.disconnect();
    };
  }, [isActive]);

  return { scroller, content, isAtBottom, toBottom, toElement };
}

const GLOW_MS = 2_500;

/** Scrolls to the message in the address. Does nothing for a message on a branch that is not shown. */
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
    // Code and images get their height when they are drawn.
    const drawn = setTimeout(show, 300);
    return () => clearTimeout(drawn);
  }, [isThere, messageId, content, toElement]);
}
