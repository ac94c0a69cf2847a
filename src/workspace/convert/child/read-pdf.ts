// Reads PDFs: headings by the size of the letters, lists, tables and links.
import { LiteParse } from '@llamaindex/liteparse';
import { broken, locked, withoutText } from './unreadable.ts';

const KIND = 'PDF';
const MAX_PAGES = 10_000;
/** The library's output for a page without text. */
const EMPTY_PAGE = /^```text\n\n```$/gm;
const PICTURE_PAGE = '_A page without text; it may be a picture._';

export async function readPdf(bytes: Buffer): Promise<string> {
  const reader = new LiteParse({
    // OCR would download its models, so a scanned page stays without text.
    ocrEnabled: false,
    outputFormat: 'markdown',
    imageMode: 'off',
    continueOnPageError: true,
    maxPages: MAX_PAGES,
    quiet: true,
  });
  const { text, pages, totalPages } = await reader.parse(bytes).catch((error: unknown) => {
    throw error instanceof Error && /password/i.test(error.message) ? locked(KIND) : broken(KIND);
  });
  if (!hasText(pages)) throw withoutText();
  const left = totalPages - pages.length;
  const markdown = withLevelsBySize(text.replace(EMPTY_PAGE, PICTURE_PAGE), textItems(pages));
  return left > 0 ? `${markdown}\n\n_${left} of ${totalPages} pages could not be read._` : markdown;
}

type Page = Awaited<ReturnType<LiteParse['parse']>>['pages'][number];

function hasText(pages: readonly Page[]): boolean {
  return pages.some(({ textItems }) => textItems.some(({ text }) => text.trim() !== ''));
}

function* textItems(pages: readonly Page[]): Iterable<SizedText> {
  for (const { textItems } of pages) yield* textItems;
}

interface SizedText {
  readonly text: string;
  readonly fontSize?: number;
}

interface Heading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
  size?: number;
}

const HEADING = /^(#{1,6}) +(\S.*)$/;
const FENCE = /^(?:```|~~~)/;
const MAX_LEVEL = 6;
/** The words that are compared. They cover the first line of a heading over several lines. */
const MAX_WORDS = 20;

/**
 * Returns the Markdown unchanged, unless a heading of a lower level has larger letters than one above it.
 * Then the largest letters get the first level, the next the second, and so on. Headings of unknown size keep
 * their level.
 */
function withLevelsBySize(markdown: string, items: Iterable<SizedText>): string {
  const lines = markdown.split('\n');
  const headings = headingsOf(lines);
  giveSizes(headings, items);
  const sized = headings.filter(({ size }) => size !== undefined);
  if (!isUpsideDown(sized)) return markdown;
  const sizes = [...new Set(sized.map(({ size = 0 }) => size))].sort((a, b) => b - a);
  for (const { line, text, size = 0 } of sized) {
    const level = Math.min(sizes.indexOf(size) + 1, MAX_LEVEL);
    lines[line] = `${'#'.repeat(level)} ${text}`;
  }
  return lines.join('\n');
}

function headingsOf(lines: readonly string[]): readonly Heading[] {
  const headings: Heading[] = [];
  let isCode = false;
  for (const [line, content] of lines.entries()) {
    if (FENCE.test(content)) isCode = !isCode;
    const [, marks = '', text = ''] = (isCode ? null : HEADING.exec(content)) ?? [];
    if (marks !== '') headings.push({ line, level: marks.length, text });
  }
  return headings;
}

/** The text on the page is the heading or its beginning. The longer the match, the more reliable it is. */
function giveSizes(headings: readonly Heading[], items: Iterable<SizedText>): void {
  const sizes = new Map(headings.flatMap((it) => beginningsOf(it.text)).map((text) => [text, 0]));
  for (const { text, fontSize = 0 } of items) {
    const words = wordsOf(text).join(' ');
    const known = sizes.get(words);
    if (known !== undefined) sizes.set(words, Math.max(known, Math.round(fontSize)));
  }
  for (const heading of headings) {
    const size = beginningsOf(heading.text)
      .map((text) => sizes.get(text) ?? 0)
      .findLast((it) => it > 0);
    if (size !== undefined) heading.size = size;
  }
}

function beginningsOf(text: string): readonly string[] {
  const words = wordsOf(text).slice(0, MAX_WORDS);
  return words.map((_, index) => words.slice(0, index + 1).join(' '));
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isUpsideDown(headings: readonly Heading[]): boolean {
  const highest = new Map<number, { min: number; max: number }>();
  for (const { level, size = 0 } of headings) {
    const { min, max } = highest.get(level) ?? { min: size, max: size };
    highest.set(level, { min: Math.min(min, size), max: Math.max(max, size) });
  }
  const levels = [...highest].sort(([a], [b]) => a - b);
  let smallest = Number.POSITIVE_INFINITY;
  for (const [, { min, max }] of levels) {
    if (max > smallest) return true;
    smallest = Math.min(smallest, min);
  }
  return false;
}
