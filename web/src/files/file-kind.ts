// What is known of a file before it is opened: its path, name, kind and size.

const ROOT = '/mnt/user-data/';

/** Returns the last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Removes the common beginning of all paths of a thread. */
export function shortPath(path: string): string {
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
}

export function isThreadPath(path: string): boolean {
  return path.startsWith(ROOT) && !path.endsWith('/');
}

export type FileKind =
  | 'document'
  | 'workbook'
  | 'markdown'
  | 'code'
  | 'text'
  | 'image'
  | 'pdf'
  | 'table'
  | 'html'
  | 'media'
  | 'other';

const KINDS: Readonly<Record<Exclude<FileKind, 'other'>, string>> = {
  document: 'doc docx ppt pptx',
  workbook: 'xls xlsx',
  markdown: 'md markdown',
  code: 'bash c cc cjs cpp cs css cts diff go h hpp ini java js json jsonl jsx kt lua mjs mts patch php py r rb rs scss sh sql svelte swift toml ts tsx vue xml yaml yml zsh',
  text: 'log txt text rst tex env gitignore',
  image: 'apng avif bmp gif ico jpeg jpg png svg webp',
  pdf: 'pdf',
  table: 'csv tsv',
  html: 'htm html xhtml',
  media: 'aac flac m4a mov mp3 mp4 oga ogg opus wav weba webm',
};

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((extension) => [extension, kind as FileKind] as const),
  ),
);

export function kindOf(name: string): FileKind {
  return KIND_OF.get(extensionOf(name)) ?? 'other';
}

/** Returns the extension in lower case and without the dot. Empty when there is none. */
export function extensionOf(name: string): string {
  const base = nameOf(name);
  const dot = base.lastIndexOf('.');
  return dot === -1 ? '' : base.slice(dot + 1).toLowerCase();
}

const WORDS: Readonly<Record<FileKind, string>> = {
  document: 'Document',
  workbook: 'Workbook',
  markdown: 'Document',
  code: 'Code',
  text: 'Text',
  image: 'Image',
  pdf: 'Document',
  table: 'Table',
  html: 'Web page',
  media: 'Recording',
  other: 'File',
};

/** Returns a text such as `Document · PDF`. */
export function kindWords(name: string): string {
  const extension = extensionOf(name);
  const word = WORDS[kindOf(name)];
  return extension === '' ? word : `${word} · ${extension.toUpperCase()}`;
}

const whole = new Intl.NumberFormat();
const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** Returns a text such as `812 B`, `1.4 MB` or `37 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  let rest = bytes / 1_024;
  let unit = 0;
  while (rest >= 999.5 && unit < UNITS.length - 1) {
    rest /= 1_024;
    unit += 1;
  }
  return `${rest < 9.95 ? rest.toFixed(1) : Math.round(rest)} ${UNITS[unit]}`;
}

export function countText(files: number): string {
  return whole.format(files);
}
