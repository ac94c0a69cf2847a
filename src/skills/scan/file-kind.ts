// What the first bytes of a file say that it is.

export type FileKind = 'program' | 'archive' | 'known' | 'text' | 'unknown';

/** So many bytes are enough to tell. */
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
const ARCHIVES = ['1f8b08', '425a68', 'fd377a585a00', '377abcaf271c', '52617221', '28b52ffd'];
const ZIP = '504b0304';
const KNOWN = [
  '89504e470d0a1a0a',
  'ffd8ff',
  '47494638',
  '52494646',
  '25504446',
  '774f4632',
  '774f4646',
  '00010000',
  '4f54544f',
  '00000100',
  '494433',
  'd0cf11e0a1b11ae1',
];
/** Zips that are documents. */
const DOCUMENTS = /\.(?:docx|dotx|xlsx|xltx|pptx|potx|odt|ods|odp|ott|otp|epub)$/i;
const PROGRAM_NAMES = /\.(?:exe|dll|so|dylib|pyc|pyo|class|jar|node|msi|scr|com|o|a)$/i;

/** `program`: ELF, PE, Mach-O, WebAssembly, and what is compiled for some other machine. */
export function fileKind(name: string, head: Uint8Array): FileKind {
  const hex = Buffer.from(head.subarray(0, 16)).toString('hex');
  const isOne = (signatures: readonly string[]) => signatures.some((signature) => hex.startsWith(signature));
  if (isOne(PROGRAMS) || isWindowsProgram(head) || PROGRAM_NAMES.test(name)) return 'program';
  if (hex.startsWith(ZIP)) return DOCUMENTS.test(name) ? 'known' : 'archive';
  if (isOne(ARCHIVES)) return 'archive';
  if (isOne(KNOWN)) return 'known';
  return head.subarray(0, KIND_BYTES).includes(0) ? 'unknown' : 'text';
}

/** Two letters alone may begin any text. */
function isWindowsProgram(head: Uint8Array): boolean {
  return head[0] === 0x4d && head[1] === 0x5a && head.subarray(0, 512).includes(0);
}
