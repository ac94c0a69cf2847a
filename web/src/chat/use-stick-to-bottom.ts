// Keeps the newest words in view while they are written, unless the reader scrolled away.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface StickToBottom {
  /** For the element that scrolls. */
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** For the element inside it that grows. */
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtBottom: boolean;
  readonly toBottom: () => void;
  /** Brings an element inside into view and stays there. */
  readonly toElement: (element: Element) => void;
}

const NEAR_PX = 64;
/** Nearer than this the way back would hide what it leads to. */
const FAR_PX = 160;

/** Without `isActive` nothing sticks: a welcome is read from its top. */
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
      // Only a move upwards lets go: growing content also changes the distance.
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
