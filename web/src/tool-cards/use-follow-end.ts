// Keeps the end of a box in view while its text grows, unless the reader scrolled up in it.
import { type RefObject, useLayoutEffect, useRef } from 'react';

const NEAR_PX = 24;

/** `onScroll` is for the box. */
export function useFollowEnd(box: RefObject<HTMLElement | null>, length: number) {
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves with the length.
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [box, length]);
  return () => {
    const element = box.current;
    if (element === null) return;
    follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
  };
}
