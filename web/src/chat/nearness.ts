// Which elements of a region that scrolls have come near what is shown of it, or are as good as that.
import { createContext, type RefObject, startTransition, useContext, useEffect, useState } from 'react';

interface Nearness {
  /** Calls back when the element is near, and until the answer is called. */
  readonly observe: (element: Element, onNear: () => void) => () => void;
  /** Calls back when nothing else is to be done, one after the other, unless the answer is called before; not for too many. */
  readonly whenIdle: (onNear: () => void) => () => void;
}

/** Above and below, so that what is scrolled to is there before it is seen. */
const MARGIN = '150% 0px';
/** What is far away and drawn nevertheless costs as much as what is near. */
const MOST_BEFOREHAND = 60;
const REST_MS = 200;

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
    // Safari has no such callback.
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
  /** It is to be ready before anybody comes near. */
  readonly isBeforehand: boolean;
}

/** Whether the element has ever been near, or is ready as if it had been. */
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
