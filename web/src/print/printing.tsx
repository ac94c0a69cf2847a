// Whether the page is being printed: what is folded or far away is drawn then.
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import './print.css';

const PrintingContext = createContext(false);

/** Shown in the place of what is still being fetched or drawn. */
const UNFINISHED = '[data-unfinished], [data-diagram="none"]';
const LONGEST_WAIT_MS = 5_000;

/** Tells everything inside of it when a print begins and ends. */
export function PrintingProvider({ children }: { readonly children: ReactNode }) {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser takes the page as it is when the event returns.
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    // Pictures and formulas take longer than an event: the keys wait for them, a menu of the browser does not.
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isPrintKey(event)) return;
      event.preventDefault();
      begin();
      untilDrawn()
        .then(() => print())
        .catch(reportError);
    };
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
      removeEventListener('keydown', onKeyDown);
    };
  }, []);
  return <PrintingContext value={isPrinting}>{children}</PrintingContext>;
}

/** True from just before the page is printed until it has been. */
export function usePrinting(): boolean {
  return useContext(PrintingContext);
}

function isPrintKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'p' && ctrlKey !== metaKey && !altKey && !shiftKey;
}

async function untilDrawn(): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS;
  do await new Promise(requestAnimationFrame);
  while (!isDrawn() && performance.now() < end);
}

function isDrawn(): boolean {
  return document.querySelector(UNFINISHED) === null && document.fonts.status === 'loaded';
}
