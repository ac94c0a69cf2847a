// PDFs: headings by the size of the letters, lists, tables and links.
import { LiteParse } from '@llamaindex/liteparse';
import { type SizedText, withLevelsBySize } from './heading-levels.ts';
import { broken, locked, withoutText } from './unreadable.ts';

const KIND = 'PDF';
const MAX_PAGES = 10_000;
/** What the library makes of a page without text. */
const EMPTY_PAGE = /^```text\n\n```$/gm;
const PICTURE_PAGE = '_A page without text; it may be a picture._';

export async function readPdf(bytes: Buffer): Promise<string> {
  const reader = new LiteParse({
    // It would fetch its models; a scanned page stays without text.
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
