// Old Word documents where LibreOffice does not read them: their text, with footnotes, without structure.
import WordExtractor from 'word-extractor';

export async function readDoc(bytes: Buffer): Promise<string> {
  const document = await new WordExtractor().extract(bytes);
  const paragraphs = (text: string): string => text.trim().replace(/(?<!\s)\s*\n\s*/g, '\n\n');
  return [document.getBody(), document.getFootnotes(), document.getEndnotes()].map(paragraphs).join('\n\n');
}
