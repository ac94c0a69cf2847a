// Which files of a skill may be written, and under which names.
import { invalid } from '../../errors.ts';
import { SKILL_FILE } from '../skill-text.ts';

export interface SkillFilePath {
  /** Relative to the folder of the skill, with slashes. */
  readonly text: string;
  readonly names: readonly string[];
}

const FOLDERS: readonly string[] = ['references', 'templates', 'scripts', 'assets'];
const MAX_LEVELS = 8;
const MAX_BYTES = 512;
/** No file system allows more. */
const MAX_NAME_BYTES = 255;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} _.,()+@=-]{0,127}$/u;

/** Accepts `SKILL.md`, or a file below one of the four folders. Throws `invalid`. */
export function parseSkillFile(path: string): SkillFilePath {
  const text = path.normalize('NFC');
  if (text === SKILL_FILE) return { text, names: [SKILL_FILE] };
  const names = text.split('/');
  const isThere = names.length > 1 && FOLDERS.includes(names[0] ?? '');
  const isSafe = names.every(
    (name) => NAME.test(name) && !/[. ]$/.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES,
  );
  if (
    isThere &&
    isSafe &&
    names.length <= MAX_LEVELS &&
    Buffer.byteLength(text) <= MAX_BYTES &&
    !isSkillFile(names)
  )
    return { text, names };
  throw invalid(
    `Files of a skill are ${SKILL_FILE} and what lies below ${FOLDERS.map((folder) => `${folder}/`).join(', ')}, with plain names.`,
  );
}

/** A skill contains no other skill. */
function isSkillFile(names: readonly string[]): boolean {
  return names.at(-1)?.toLowerCase() === SKILL_FILE.toLowerCase();
}
