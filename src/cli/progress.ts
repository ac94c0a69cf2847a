// How far a long command is: a line now and then.
import type { CommandContext } from './command.ts';

const PAUSE_MS = 2_000;

/** Prints a line, unless it printed one less than two seconds ago. */
export function createProgress({ progress }: CommandContext): (line: string) => void {
  let printedAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    const at = performance.now();
    if (at - printedAt < PAUSE_MS) return;
    printedAt = at;
    progress(line);
  };
}
