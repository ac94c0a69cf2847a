// Reads old presentations without LibreOffice: slides under their titles, with lists, tables, links, notes.
import type { CompoundFile } from './compound-file.ts';
import { kindName } from './document-kind.ts';
import { markdownTable, pictureText } from './markdown-blocks.ts';
import { type PptDocument, type PptSlide, pptDocument } from './ppt-document.ts';
import type { PptRecord } from './ppt-records.ts';
import { type PptShape, pptFooter, pptShapes } from './ppt-shapes.ts';
import { NOTES_TEXT, type PptText, pptTexts } from './ppt-text.ts';
import { createFooters, listText, slideMarkdown } from './slide-markdown.ts';
import { broken } from './unreadable.ts';

/** The title of a slide, and of a slide that has only a title. */
const TITLES: ReadonlySet<number> = new Set([0, 6]);

/** Throws `Unreadable`. */
export function readPpt(file: CompoundFile): string {
  const stream = file.stream('PowerPoint Document');
  const document = stream && pptDocument(stream, file.stream('Current User'));
  if (document === undefined) throw broken(kindName('.ppt'));
  return document.slides.map(createSlideReader(document)).join('\n\n');
}

interface SlideText {
  title: string;
  readonly blocks: string[];
  readonly footers: string[];
}

function createSlideReader({ targets }: PptDocument): (slide: PptSlide, index: number) => string {
  const footers = createFooters();
  const textsOf = (records: readonly PptRecord[]) => pptTexts(records, targets);
  return ({ record, outline, notes }, index) => {
    const left: (PptText | undefined)[] = [...textsOf(outline)];
    const content: SlideText = { title: '', blocks: [], footers: [pptFooter(record)] };
    /** Takes each text of the outline once, whichever shapes refer to it. */
    const taken = (text: readonly PptRecord[] | number): readonly PptText[] => {
      if (typeof text !== 'number') return textsOf(text);
      const [found] = left.splice(text, 1, undefined);
      return found === undefined ? [] : [found];
    };
    for (const shape of pptShapes(record)) addShape(shape, content, taken);
    for (const text of left) if (text !== undefined) addText(text, content);
    return slideMarkdown({
      number: index + 1,
      title: content.title,
      blocks: [...content.blocks, ...content.footers.map(footers)],
      notes: notes === undefined ? [] : notesOf(notes, textsOf),
    });
  };
}

type Taken = (text: readonly PptRecord[] | number) => readonly PptText[];

function addShape(shape: PptShape, content: SlideText, taken: Taken): void {
  switch (shape.kind) {
    case 'picture':
      content.blocks.push(pictureText(shape.description));
      return;
    case 'table':
      content.blocks.push(
        markdownTable(shape.rows.map((row) => row.map((cell) => taken(cell).map(linesOf).join('\n')))),
      );
      return;
    case 'text':
      for (const text of taken(shape.text)) {
        if (shape.isFooter) content.footers.push(linesOf(text));
        else addText(text, content);
      }
      return;
    default:
      shape satisfies never;
  }
}

function addText(text: PptText, content: SlideText): void {
  if (TITLES.has(text.use) && content.title === '') content.title = linesOf(text);
  else content.blocks.push(listText(text.paragraphs));
}

function linesOf({ paragraphs }: PptText): string {
  return paragraphs.map(({ text }) => text).join('\n');
}

function notesOf(
  notes: PptRecord,
  textsOf: (records: readonly PptRecord[]) => readonly PptText[],
): readonly string[] {
  return pptShapes(notes)
    .flatMap((shape) => (shape.kind === 'text' && typeof shape.text !== 'number' ? textsOf(shape.text) : []))
    .filter(({ use }) => use === NOTES_TEXT)
    .flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text));
}
