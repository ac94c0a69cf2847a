// The output of a process, as text that names no folder of this machine.
import { basename, dirname } from 'node:path';
import type { OutputListener, OutputStream } from '../../processes/outcome.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import type { ReadOnlyFolder } from '../read-only/read-only-folders.ts';
import type { SandboxCommand } from './sandbox.ts';
import type { AreaFolder, SeenFolders } from './seen-folders.ts';

/** Returns a listener that passes the output on, with virtual paths in place of real ones. */
export function reportOutput(
  { areas, readOnly }: SeenFolders,
  onOutput: SandboxCommand['onOutput'],
): OutputListener {
  const words = new Map([[realRoot(areas), VIRTUAL_ROOT], ...readOnly.map(wordFor)]);
  const texts = { stdout: replacingText(words), stderr: replacingText(words) };
  const report = (stream: OutputStream, text: string): void => {
    if (text !== '') onOutput(stream, text);
  };
  return {
    take: (stream, piece) => report(stream, texts[stream].take(piece)),
    end() {
      report('stdout', texts.stdout.end());
      report('stderr', texts.stderr.end());
    },
  };
}

/** Folders beside each other share a word, so that more of them need no more words to search for. */
function wordFor({ real, virtual }: ReadOnlyFolder): readonly [string, string] {
  if (basename(real) !== basename(virtual)) return [real, virtual];
  return [`${dirname(real)}/`, `${dirname(virtual)}/`];
}

/** Returns the real folder behind the virtual root. */
export function realRoot(areas: readonly AreaFolder[]): string {
  const [area] = areas;
  if (area === undefined) throw new Error('A thread has folders.');
  return area.real.slice(0, area.real.length - (area.virtual.length - VIRTUAL_ROOT.length));
}

/** Words and their replacements. */
type Replacements = ReadonlyMap<string, string>;

/** Replaces every word in text, wherever the pieces were cut. Invalid bytes become U+FFFD. */
function replacingText(words: Replacements) {
  const decoder = new TextDecoder();
  let held = '';
  const certain = (text: string, isEnd: boolean): string => {
    const replaced = replacedIn(text, words);
    const keep = isEnd ? 0 : beginningLength(replaced, [...words.keys()]);
    held = replaced.slice(replaced.length - keep);
    return replaced.slice(0, replaced.length - keep);
  };
  return {
    /**
     * Returns the text that is certain by now. Holds back what may be the beginning of a word or a character.
     */
    take: (piece: Uint8Array) => certain(held + decoder.decode(piece, { stream: true }), false),
    /** Returns what was held back. */
    end: () => certain(held + decoder.decode(), true),
  };
}

function replacedIn(text: string, words: Replacements): string {
  let replaced = text;
  for (const [word, replacement] of words) replaced = replaced.replaceAll(word, replacement);
  return replaced;
}

/** Returns how many characters at the end of the text may be the beginning of a word. */
function beginningLength(text: string, words: readonly string[]): number {
  const longest = words.reduce((most, { length }) => Math.max(most, length), 1);
  for (let length = Math.min(longest - 1, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (words.some((word) => word.length > length && word.startsWith(end))) return length;
  }
  return 0;
}
