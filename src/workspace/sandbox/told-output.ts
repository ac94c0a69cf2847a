// What a process says, as text that names no folder of this machine.
import { basename, dirname } from 'node:path';
import type { OutputListener, OutputStream } from '../../processes/outcome.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import type { ReadOnlyFolder } from '../read-only/read-only-folders.ts';
import type { AreaFolder } from './area-folders.ts';
import { type ReplacingText, replacingText } from './replacing-text.ts';
import type { SandboxCommand } from './sandbox.ts';
import type { SeenFolders } from './seen-folders.ts';

/** Tells `command` what the process says, with virtual paths in the place of the real ones. */
export function toldOutput(
  { areas, readOnly }: SeenFolders,
  command: Pick<SandboxCommand, 'onOutput'>,
): OutputListener {
  const words = new Map([[realRoot(areas), VIRTUAL_ROOT], ...readOnly.map(wordFor)]);
  const texts = { stdout: replacingText(words), stderr: replacingText(words) };
  const tell = (stream: OutputStream, say: (text: ReplacingText) => string): void => {
    const text = say(texts[stream]);
    if (text !== '') command.onOutput(stream, text);
  };
  return {
    take: (stream, piece) => tell(stream, (text) => text.take(piece)),
    end() {
      tell('stdout', (text) => text.end());
      tell('stderr', (text) => text.end());
    },
  };
}

/** Folders that lie beside each other share a word: what is looked for in the output does not grow with them. */
function wordFor({ real, virtual }: ReadOnlyFolder): readonly [string, string] {
  if (basename(real) !== basename(virtual)) return [real, virtual];
  return [`${dirname(real)}/`, `${dirname(virtual)}/`];
}

/** The real folder that the virtual root stands for. */
export function realRoot(areas: readonly AreaFolder[]): string {
  const [area] = areas;
  if (area === undefined) throw new Error('A thread has folders.');
  return area.real.slice(0, area.real.length - (area.virtual.length - VIRTUAL_ROOT.length));
}
