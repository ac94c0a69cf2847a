// The names of uploaded files: what a client says, made safe; and what a name becomes when it is taken. Pure.
import { extname } from 'node:path';
import { invalid } from '../../errors.ts';
import { parseFilePath, VIRTUAL_ROOT } from '../paths.ts';

/** The folder of the uploads, as the agent knows it. */
export const UPLOADS = `${VIRTUAL_ROOT}/uploads`;

const MAX_NAME_BYTES = 255;
/** Before what is not kept of it is cut off. */
const MAX_SAID = 1_024;
/** Names that some systems give to devices, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The name under which a file is kept: the last component of what the client said, in NFC, without spaces round it and
 * dots at its end. Throws `invalid` for control characters, marks that turn the direction of writing, an empty name,
 * and more than 255 bytes.
 */
export function uploadName(said: string): string {
  const last = said.slice(Math.max(said.lastIndexOf('/'), said.lastIndexOf('\\')) + 1);
  if (last.length > MAX_SAID) throw invalid(`The name of a file has at most ${MAX_NAME_BYTES} bytes.`);
  const name = last.normalize('NFC').replace(/^ +|(?<![. ])[. ]+$/g, '');
  if (name === '') throw invalid('A file without a name cannot be uploaded.');
  const [kept = ''] = parseFilePath(`${UPLOADS}/${name}`).names.slice(-1);
  return DEVICE.test(kept) ? fitted(`_${kept}`, '') : kept;
}

/** `report.pdf`, `report (1).pdf`, `report (2).pdf` ... each at most 255 bytes long. */
export function* namesLike(name: string): Generator<string> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  yield fitted(stem, extension);
  for (let number = 1; ; number++) yield fitted(stem, ` (${number})${extension}`);
}

/** The name of the Markdown of a document. */
export function markdownName(name: string): string {
  return fitted(name.slice(0, name.length - extname(name).length), '.md');
}

/** The same for names that one reader takes for the same: some systems do not tell large letters from small ones. */
export function sameNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Shortens the stem, never in the middle of a character. */
function fitted(stem: string, end: string): string {
  const characters = [...stem];
  while (Buffer.byteLength(characters.join('') + end) > MAX_NAME_BYTES) characters.pop();
  return characters.join('') + end;
}
