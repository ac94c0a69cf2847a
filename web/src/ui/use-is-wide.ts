// Whether the screen is wide enough for a panel beside the conversation.
import { useSyncExternalStore } from 'react';

const wide = matchMedia('(min-width: 64rem)');

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}

function subscribe(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}
