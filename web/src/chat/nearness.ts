// Which elements of a region that scrolls have come near what is shown of it.
import { createContext, type RefObject, startTransition, useContext, useEffect, useState } from 'react';

interface Nearness {
  /** Calls back when the element is near, and until the answer is called. */
  readonly observe: (element: Element, onNear: () => void) => () => void;
}

/** Above and below, so that what is scrolled to is there before it is seen. */
const MARGIN = '150% 0px';

/** One observer for all elements inside the `scroller`, which must be there when the first of them is. */
export function createNearness(scroller: RefObject<Element | null>): Nearness {
  const listeners = new Map<Element, () => void>();
  let observer: IntersectionObserver | undefined;
  const start = () =>
    new IntersectionObserver(
      (entries) =>
        // Scrolling goes before what is drawn for it.
        startTransition(() => {
          for (const { target, isIntersecting } of entries) if (isIntersecting) listeners.get(target)?.();
        }),
      { root: scroller.current, rootMargin: MARGIN },
    );
  return {
    observe: (element, onNear) => {
      observer ??= start();
      listeners.set(element, onNear);
      observer.observe(element);
      return () => {
        listeners.delete(element);
        observer?.unobserve(element);
      };
    },
  };
}

const NearnessContext = createContext<Nearness | undefined>(undefined);

export const NearnessProvider = NearnessContext.Provider;

/** Whether the element has ever been near. */
export function useNear(element: RefObject<Element | null>, isNearAtFirst: boolean): boolean {
  const nearness = useContext(NearnessContext);
  const [isNear, setNear] = useState(isNearAtFirst);
  useEffect(() => {
    if (isNear || element.current === null) return;
    return nearness?.observe(element.current, () => setNear(true));
  }, [nearness, element, isNear]);
  return isNear;
}
