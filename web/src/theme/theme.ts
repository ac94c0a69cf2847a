// The theme: light, dark, or the system's. Remembered in this browser.
import { useSyncExternalStore } from 'react';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'theme';
const CHANGED = 'themechange';
const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

function storedChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(KEY);
    return CHOICES.find((it) => it === stored) ?? 'system';
  } catch {
    return 'system';
  }
}

function apply(): void {
  const choice = storedChoice();
  const isDark = choice === 'dark' || (choice === 'system' && systemIsDark().matches);
  document.documentElement.classList.toggle('dark', isDark);
}

function systemIsDark(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)');
}

/** Applies the choices of the person, of other windows and of the system for as long as the page is open. */
export function followTheme(): void {
  systemIsDark().addEventListener('change', apply);
  addEventListener('storage', apply);
  addEventListener(CHANGED, apply);
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener);
  addEventListener(CHANGED, listener);
  return () => {
    removeEventListener('storage', listener);
    removeEventListener(CHANGED, listener);
  };
}

function choose(choice: ThemeChoice): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Without storage the choice lasts until the page is closed.
    document.documentElement.classList.toggle('dark', choice === 'dark');
    return;
  }
  dispatchEvent(new Event(CHANGED));
}

/** Returns the chosen theme, and a function that chooses another one. */
export function useTheme(): readonly [ThemeChoice, (choice: ThemeChoice) => void] {
  return [useSyncExternalStore(subscribe, storedChoice), choose];
}
