// Which elements of a scrolling region have come near its visible part, or are drawn ahead of time.
import { createContext, type RefObject, startTransition, useContext, useEffect, useState } from 'react';

interface Nearness {
  /** Calls `onNear` when the element is near. Returns the function that stops observing it. */
  readonly observe: (element: Element, onNear: () => void) => () => void;
  /**
   * Calls `onNear` when the browser is idle, for one element after the other and only for the first few.
   * Returns the function that cancels it.
   */
  readonly whenIdle: (onNear: () => void) => () => void;
}

/** The margin above and below in which content is drawn before it is scrolled into view. */
const MARGIN = '150% 0px';
/** The most elements that are drawn ahead. Each costs as much as one that is near. */
const MOST_BEFOREHAND = 60;
const REST_MS = 200;

/** Uses one observer for all elements inside the `scroller`, which must exist when the first of them does. */
export function createNearness(scroller: RefObject<Element | null>): Nearness {
  const listeners = new Map<Element, () => void>();
  let observer: IntersectionObserver | undefined;
  const start = () =>
    new IntersectionObserver(
      (entries) =>
        // Scrolling has priority over drawing ahead.
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
    whenIdle: createIdleLine(),
  };
}

function createIdleLine(): Nearness['whenIdle'] {
  const line = new Set<() => void>();
  let left = MOST_BEFOREHAND;
  let isWaiting = false;
  const wait = () => {
    if (isWaiting || line.size === 0 || left === 0) return;
    isWaiting = true;
    // Safari has no `requestIdleCallback`.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(takeOne);
    else setTimeout(takeOne, REST_MS);
  };
  const takeOne = () => {
    isWaiting = false;
    const [next] = line;
    if (next === undefined) return;
    line.delete(next);
    left -= 1;
    startTransition(next);
    wait();
  };
  return (onNear) => {
    line.add(onNear);
    wait();
    return () => line.delete(onNear);
  };
}

const NearnessContext = createContext<Nearness | undefined>(undefined);

export const NearnessProvider = NearnessContext.Provider;

interface NearOptions {
  readonly isNearAtFirst: boolean;
  /** Whether to draw the element before it comes near. */
  readonly isBeforehand: boolean;
}

/** Whether the element has ever been near, or was drawn ahead. */
export function useNear(
  element: RefObject<Element | null>,
  { isNearAtFirst, isBeforehand }: NearOptions,
): boolean {
  const nearness = useContext(NearnessContext);
  const [isNear, setNear] = useState(isNearAtFirst);
  useEffect(() => {
    if (isNear || !isBeforehand) return;
    return nearness?.whenIdle(() => setNear(true));
  }, [nearness, isNear, isBeforehand]);
  useEffect(() => {
    if (isNear || element.current === null) return;
    return nearness?.observe(element.current, () => setNear(true));
  }, [nearness, element, isNear]);
  return isNear;
}
