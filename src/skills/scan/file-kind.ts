// Recognizes the kind of a file by its first bytes.

export type FileKind = 'program' | 'archive' | 'known' | 'text' | 'unknown';

/** This many bytes suffice to recognize a kind. */
export const KIND_BYTES = 8_192;

const PROGRAMS = [
  '7f454c46',
  'feedface',
  'feedfacf',
  'cefaedfe',
  'cffaedfe',
  'cafebabe',
  'cafebabf',
  '0061736d',
];
const ZIP = '504b0304';
/** Both signature and name must match, because letters may begin any text. */
const ARCHIVES: readonly (readonly [string, RegExp])[] = [
  ['1f8b08', /\.t?gz$/i],
  ['425a68', /\.t?bz2$/i],
  ['fd377a585a00', /\.t?xz$/i],
  ['377abcaf271c', /\.7z$/i],
  ['52617221', /\.rar$/i],
  ['28b52ffd', /\.t?zst$/i],
  [ZIP, /\.(?:zip|skill|whl)$/i],
];
const KNOWN: readonly (readonly [string, RegExp])[] = [
  ['89504e470d0a1a0a', /\.png$/i],
  ['ffd8ff', /\.jpe?g$/i],
  ['47494638', /\.gif$/i],
  ['52494646', /\.(?:webp|wav|avi)$/i],
  ['25504446', /\.pdf$/i],
  ['774f4632', /\.woff2$/i],
  ['774f4646', /\.woff$/i],
  ['00010000', /\.ttf$/i],
  ['4f54544f', /\.otf$/i],
  ['00000100', /\.ico$/i],
  ['494433', /\.mp3$/i],
  ['d0cf11e0a1b11ae1', /\.(?:doc|dot|xls|xlt|ppt|pot)$/i],
];
/** Zip files that are documents. */
const DOCUMENTS = /\.(?:docx|dotx|xlsx|xltx|pptx|potx|odt|ods|odp|ott|otp|epub)$/i;
const PROGRAM_NAMES = /\.(?:exe|dll|so|dylib|pyc|pyo|class|jar|node|msi|scr|com|o|a)$/i;

/** `program`: ELF, PE, Mach-O, WebAssembly, and code compiled for any other machine. */
export function fileKind(name: string, head: Uint8Array): FileKind {
  const hex = Buffer.from(head.subarray(0, 16)).toString('hex');
  const isOne = (signatures: readonly string[]) => signatures.some((signature) => hex.startsWith(signature));
  if (isOne(PROGRAMS) || isWindowsProgram(head) || PROGRAM_NAMES.test(name)) return 'program';
  const isNamed = (kinds: typeof KNOWN) =>
    kinds.some(([signature, names]) => hex.startsWith(signature) && names.test(name));
  if (isNamed(ARCHIVES)) return 'archive';
  if (isNamed(KNOWN) || (hex.startsWith(ZIP) && DOCUMENTS.test(name))) return 'known';
  return head.subarray(0, KIND_BYTES).includes(0) ? 'unknown' : 'text';
}

/** Requires a NUL besides the two letters, which may begin any text. */
function isWindowsProgram(head: Uint8Array): boolean {
  return head[0] === 0x4d && head[1] === 0x5a && head.subarray(0, 512).includes(0);
}
