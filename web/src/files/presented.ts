// The paths of a call of `present_files`.
import { useEffect, useRef } from 'react';
import type { ToolCallView } from '../conversation/message-view.ts';
import type { Turn } from '../conversation/turns.ts';
import { useIsWide } from '../ui/use-is-wide.ts';
import type { FilePanel } from './file-panel.ts';

/** Returns the presented paths in order and without duplicates. */
export function presentedPaths({ args }: ToolCallView): readonly string[] {
  return Array.isArray(args.filepaths)
    ? [...new Set(args.filepaths.filter((it) => typeof it === 'string'))]
    : [];
}

interface PresentedReply {
  readonly turns: readonly Turn[];
  readonly phase: string;
}

/** Opens a newly presented file, but does not change a panel that is in use or was closed since. */
export function useOpenPresented({ turns, phase }: PresentedReply, panel: FilePanel): void {
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
