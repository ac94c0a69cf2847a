// Opens the sidebar's drawer from any screen; on wide screens nobody asks.
import { createContext, useContext } from 'react';

export const DrawerContext = createContext<() => void>(() => {});

export function useOpenDrawer(): () => void {
  return useContext(DrawerContext);
}
