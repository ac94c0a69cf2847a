// What a process says, as text that names no folder of this machine.
import { VIRTUAL_ROOT } from '../paths.ts';
import type { AreaFolder } from './area-folders.ts';
import { type ReplacingText, replacingText } from './replacing-text.ts';
import type { OutputStream, SandboxCommand } from './sandbox.ts';

export interface ToldOutput {
  take(stream: OutputStream, piece: Uint8Array): void;
  /** Tells what was held back. */
  end(): void;
}

/** Tells `command` what the process says, with virtual paths in the place of the real ones. */
export function toldOutput(
  areas: readonly AreaFolder[],
  command: Pick<SandboxCommand, 'onOutput'>,
): ToldOutput {
  const root = realRoot(areas);
  const texts = { stdout: replacingText(root, VIRTUAL_ROOT), stderr: replacingText(root, VIRTUAL_ROOT) };
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

/** The real folder that the virtual root stands for. */
export function realRoot(areas: readonly AreaFolder[]): string {
  const [area] = areas;
  if (area === undefined) throw new Error('A thread has folders.');
  return area.real.slice(0, area.real.length - (area.virtual.length - VIRTUAL_ROOT.length));
}
