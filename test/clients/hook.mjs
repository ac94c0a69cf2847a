// A React hook that runs in a page of jsdom, whose parts the client's own folder has.
import { setTimeout as pause } from 'node:timers/promises';

/** Mounts components; `until` waits for a state of the page and answers what the condition answered. */
export function createMount({ createElement, createRoot }) {
  return (useHook, wrap = (children) => children) => {
    const shown = { current: undefined };
    const Page = () => {
      shown.current = useHook();
      return null;
    };
    const root = createRoot(document.body.appendChild(document.createElement('div')));
    root.render(wrap(createElement(Page)));
    return {
      shown,
      unmount: () => root.unmount(),
      async until(condition) {
        for (;;) {
          const met = shown.current === undefined ? undefined : condition(shown.current);
          if (met) return met;
          await pause(10);
        }
      },
    };
  };
}

export function openDocument(JSDOM) {
  const { window } = new JSDOM('<!doctype html><body></body>', { url: 'http://127.0.0.1/' });
  Object.assign(globalThis, { window, document: window.document });
}
