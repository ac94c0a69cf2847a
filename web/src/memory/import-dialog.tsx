// Asks before the facts of a file replace the current ones.
import type { Memory } from '../api/memory-calls.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useMemoryChange } from './memory-queries.ts';

/** A file of facts that was read. */
export interface MemoryFile {
  readonly name: string;
  readonly content: { readonly facts: readonly unknown[] };
}

interface ImportDialogProps {
  readonly agent: string;
  readonly file: MemoryFile;
  /** The number of current facts. */
  readonly facts: number;
  readonly onImported: (memory: Memory) => void;
  readonly onClose: () => void;
}

export function ImportDialog({ agent, file, facts, onImported, onClose }: ImportDialogProps) {
  const bringIn = useMemoryChange(agent, (api, content: object) => api.importMemory(agent, content));
  const replaced = facts === 0 ? 'Nothing is replaced.' : `${countOf(facts)} that are here now are deleted.`;
  return (
    <ConfirmDialog
      title="Import these facts?"
      description={`${file.name} has ${countOf(file.content.facts.length)}. ${replaced} You can undo this.`}
      action="Import"
      isPending={bringIn.isPending}
      error={bringIn.error}
      onConfirm={() => bringIn.mutate(file.content, { onSuccess: onImported })}
      onClose={onClose}
    />
  );
}

export function countOf(facts: number): string {
  return facts === 1 ? 'one fact' : `${facts} facts`;
}
