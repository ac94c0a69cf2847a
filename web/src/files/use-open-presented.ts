// Opens what the agent presents beside the chat, as it comes, where there is room for both.
import { useEffect, useRef } from 'react';
import type { Turn } from '../chat/turns.ts';
import type { FilePanel } from './file-panel.ts';
import { presentedPaths } from './presented-paths.ts';
import { useIsWide } from './use-is-wide.ts';

interface Answering {
  readonly turns: readonly Turn[];
  readonly phase: string;
}

/** Leaves a panel alone that shows something already, and one that was closed since. */
export function useOpenPresented({ turns, phase }: Answering, panel: FilePanel): void {
  const isWide = useIsWide();
  const opened = useRef<string>(undefined);
  const last = turns.at(-1);
  const call = last?.steps
    .flatMap(({ calls }) => calls)
    .findLast(({ id, name }) => name === 'present_files' && last.results.get(id)?.status === 'success');
  const [path] = call === undefined ? [] : presentedPaths(call);
  const id = call?.id;
  useEffect(() => {
    if (id === undefined || path === undefined || opened.current === id) return;
    opened.current = id;
    if (phase === 'answering' && isWide && panel.view().kind === 'closed') panel.show({ kind: 'file', path });
  }, [id, path, phase, isWide, panel]);
}
