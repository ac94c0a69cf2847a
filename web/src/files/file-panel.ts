// What the file panel shows: nothing, the list, or one file. The object stays the same for the lifetime of a
// conversation.
import { createContext, useContext } from 'react';

export type PanelView =
  | { readonly kind: 'closed' }
  | { readonly kind: 'list' }
  /** `path` begins with `/mnt/user-data/`. */
  | { readonly kind: 'file'; readonly path: string };

export interface FilePanel {
  readonly view: () => PanelView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly show: (view: PanelView) => void;
}

export function createFilePanel(): FilePanel {
  let view: PanelView = { kind: 'closed' };
  const listeners = new Set<() => void>();
  return {
    view: () => view,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    show: (next) => {
      view = next;
      for (const listener of listeners) listener();
    },
  };
}

const FilePanelContext = createContext<FilePanel | undefined>(undefined);

export const FilePanelProvider = FilePanelContext.Provider;

export function useFilePanel(): FilePanel {
  const panel = useContext(FilePanelContext);
  if (panel === undefined) throw new Error('useFilePanel is called outside of a conversation.');
  return panel;
}
