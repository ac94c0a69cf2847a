// The newest checkpoint of a thread, out of the state that the stream hook keeps.
import type { Checkpoint } from '../api/shapes.ts';

interface StateView {
  readonly next: readonly string[];
  readonly checkpoint?: { readonly checkpoint_id?: string | null | undefined } | null;
  readonly parent_checkpoint?: { readonly checkpoint_id?: string | null | undefined } | null | undefined;
  readonly metadata?: unknown;
}

/** Undefined while the thread has no state. */
export function headOf(state: StateView | undefined): Checkpoint | undefined {
  const id = state?.checkpoint?.checkpoint_id;
  if (state === undefined || id == null) return undefined;
  return {
    checkpoint_id: id,
    parent_checkpoint_id: state.parent_checkpoint?.checkpoint_id ?? null,
    next: [...state.next],
    metadata: { source: textAt(state.metadata, 'source'), run_id: textAt(state.metadata, 'run_id') },
  };
}

function textAt(metadata: unknown, name: 'source' | 'run_id'): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const value: unknown = Reflect.get(metadata, name);
  return typeof value === 'string' ? value : undefined;
}
