// PDFs where no box holds native code: pdf.js reads them, which is a script, with less structure.
import { getDocumentProxy } from 'unpdf';
import { type PlacedText, pagesMarkdown } from './placed-text.ts';
import { broken, locked, withoutText } from './unreadable.ts';

const KIND = 'PDF';
const MAX_PAGES = 10_000;
/** Of the names under which pdf.js keeps what it says. */
const SAYS_NOTHING = 0;

export async function readPdfWithoutAddon(bytes: Buffer): Promise<string> {
  const document = await opened(bytes);
  const total = document.numPages;
  const pages: (readonly PlacedText[])[] = [];
  for (let number = 1; number <= Math.min(total, MAX_PAGES); number++) {
    const texts = await textsOf(document, number).catch(() => undefined);
    if (texts !== undefined) pages.push(texts);
  }
  const markdown = pagesMarkdown(pages);
  if (markdown === '') throw withoutText();
  const left = total - pages.length;
  return left > 0 ? `${markdown}\n\n_${left} of ${total} pages could not be read._` : markdown;
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

async function opened(bytes: Buffer): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: SAYS_NOTHING });
  } catch (error) {
    throw error instanceof Error && error.name === 'PasswordException' ? locked(KIND) : broken(KIND);
  }
}

async function textsOf(document: PdfDocument, number: number): Promise<readonly PlacedText[]> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.flatMap((item) => {
    if (!('str' in item)) return [];
    const [, , skew, scale, x, y] = item.transform.map(Number);
    const size = Math.round(Math.hypot(skew ?? 0, scale ?? 0) * 2) / 2;
    return [{ text: item.str, x: x ?? 0, y: y ?? 0, width: item.width, size, endsLine: item.hasEOL }];
  });
}
