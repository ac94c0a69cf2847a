// The names of uploaded files: makes clients' names safe, and finds others for names that are taken. Pure.
import { extname } from 'node:path';
import { invalid } from '../../errors.ts';
import { parseFilePath, VIRTUAL_ROOT } from '../paths.ts';

/** The uploads folder, as the agent knows it. */
export const UPLOADS = `${VIRTUAL_ROOT}/uploads`;

const MAX_NAME_BYTES = 255;
/** The limit before parts of the name are removed. */
const MAX_SAID = 1_024;
/** Names that some systems give to devices, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns the name under which a file is stored: the last component of the client's name, in NFC, without
 * spaces around it and dots at its end. Throws `invalid` for control characters, marks that change the
 * writing direction, an empty name, and more than 255 bytes.
 */
export function uploadName(said: string): string {
  const last = said.slice(Math.max(said.lastIndexOf('/'), said.lastIndexOf('\\')) + 1);
  if (last.length > MAX_SAID) throw invalid(`A file name can have at most ${MAX_NAME_BYTES} bytes.`);
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

export function markdownName(name: string): string {
  return fitted(name.slice(0, name.length - extname(name).length), '.md');
}

/** Returns the same key for names that some system treats as equal, because it ignores case. */
export function sameNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Shortens the stem, but never splits a character. */
function fitted(stem: string, end: string): string {
  const characters = [...stem];
  while (Buffer.byteLength(characters.join('') + end) > MAX_NAME_BYTES) characters.pop();
  return characters.join('') + end;
}
