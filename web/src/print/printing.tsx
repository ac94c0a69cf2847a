// Whether the page is being printed. While it is, everything is drawn, including folded parts.
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import './print.css';

const PrintingContext = createContext(false);

/** Placeholders of content that is still being loaded or drawn. */
const UNFINISHED = '[data-unfinished], [data-diagram="none"]';
const LONGEST_WAIT_MS = 5_000;

/** Provides to everything inside whether a print is under way. */
export function PrintingProvider({ children }: { readonly children: ReactNode }) {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser prints the page as it is when the event handler returns.
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    // Images and formulas take longer than an event. The print shortcut waits for them; the menu of the
    // browser cannot.
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

/** Returns true from just before the page is printed until it has been. */
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
