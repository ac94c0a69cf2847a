// A text in which one part takes the place of another. Pure.
import { invalid, ServiceError } from '../../errors.ts';
import { MAX_TEXT_BYTES } from '../skill-text.ts';

export interface SkillPatch {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
  /** All so many are replaced; absent: the first one. */
  readonly expectedCount: number | undefined;
}

interface Patched {
  readonly content: string;
  readonly replaced: number;
  readonly found: number;
}

/** Throws `invalid` when the part is not there, or not so many times, `payload_too_large` before too long a text is made. */
export function patchedText(before: string, { path, find, replace, expectedCount }: SkillPatch): Patched {
  const found = timesIn(before, find);
  if (found === 0) throw invalid(`The text to find is not in ${path}; read the file and copy it exactly.`);
  if (expectedCount !== undefined && found !== expectedCount)
    throw invalid(
      `The text to find is ${found} times in ${path}, not ${expectedCount}; nothing was changed.`,
    );
  const replaced = expectedCount ?? 1;
  // A character is a byte at least.
  if (before.length + replaced * (replace.length - find.length) > MAX_TEXT_BYTES)
    throw new ServiceError(
      'payload_too_large',
      `${path} would be larger than ${MAX_TEXT_BYTES / 1_024} KiB; nothing was changed.`,
    );
  if (expectedCount !== undefined)
    return { content: before.replaceAll(find, () => replace), replaced, found };
  return { content: before.replace(find, () => replace), replaced, found };
}

function timesIn(text: string, part: string): number {
  if (part === '') return 0;
  let times = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) times += 1;
  return times;
}
