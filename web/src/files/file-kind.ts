// What a file is, as its name says it.
import { nameOf } from './file-path.ts';

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

/** In lower case and without the dot; empty when there is none. */
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

/** `Document · PDF`. */
export function kindWords(name: string): string {
  const extension = extensionOf(name);
  const word = WORDS[kindOf(name)];
  return extension === '' ? word : `${word} · ${extension.toUpperCase()}`;
}
