// Whether the page is being printed: what is folded or far away is drawn then.
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import './print.css';

const PrintingContext = createContext(false);

/** Tells everything inside of it when a print begins and ends. */
export function PrintingProvider({ children }: { readonly children: ReactNode }) {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser takes the page as it is when the event returns.
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return <PrintingContext value={isPrinting}>{children}</PrintingContext>;
}

/** True from just before the page is printed until it has been. */
export function usePrinting(): boolean {
  return useContext(PrintingContext);
}
