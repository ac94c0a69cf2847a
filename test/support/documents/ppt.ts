// A small writer of presentations in the format before 2007, for tests, limited to the parts that are read.
import { compoundFileOf, u16, u32 } from './compound-file.ts';

export interface PptSlide {
  readonly title?: string;
  readonly bullets?: readonly (string | { readonly level: number; readonly text: string })[];
  /** A line with a link. */
  readonly link?: { readonly text: string; readonly target: string };
  readonly table?: readonly (readonly PptCell[])[];
  /** Pictures, by their descriptions. */
  readonly pictures?: readonly string[];
  readonly footer?: string;
  readonly notes?: string;
}

/** `null`: the cell above spans this row, too. */
type PptCell = string | null;

interface PptOptions {
  /** Slides from before the presentation was saved again. They remain in the file without effect. */
  readonly before?: readonly PptSlide[];
}

const CONTAINER = 0xf;
const NO_NOTES = 0;

export function pptOf(slides: readonly PptSlide[], { before = [] }: PptOptions = {}): Buffer {
  const file = new PptFile();
  if (before.length > 0) file.save(before);
  file.save(slides);
  return compoundFileOf({ 'PowerPoint Document': file.stream(), 'Current User': file.currentUser() });
}

class PptFile {
  readonly #pieces: Buffer[] = [];
  readonly #links: Buffer[] = [];
  #length = 0;
  #lastEdit = 0;
  #nextId = 2;

  /** The parts with their places, the list of those, and who wants to know where it is. */
  save(slides: readonly PptSlide[]): void {
    const placed = new Map<number, number>();
    const put = (record: Buffer): number => {
      const id = this.#nextId++;
      placed.set(id, this.#length);
      this.#add(record);
      return id;
    };
    const lists = slides.map((slide, index) => {
      const notesId = slide.notes === undefined ? NO_NOTES : 256 + index;
      const id = put(this.#slide(slide, notesId));
      const notes = slide.notes === undefined ? [] : [persist(put(notesRecord(slide.notes)), notesId)];
      return { slide: Buffer.concat([persist(id, 300 + index), outline(slide)]), notes };
    });
    const document = container(1000, [
      container(1033, this.#links),
      container(4080, [persist(900, 900)], 1),
      container(
        4080,
        lists.map(({ slide }) => slide),
      ),
      container(
        4080,
        lists.flatMap(({ notes }) => notes),
        2,
      ),
    ]);
    placed.set(1, this.#length);
    this.#add(document);
    const directory = this.#length;
    this.#add(atom(6002, Buffer.concat([...placed].map(([id, at]) => u32(id + (1 << 20), at)))));
    const edit = this.#length;
    this.#add(
      atom(4085, Buffer.concat([u32(0, 0x0300_0000, this.#lastEdit, directory, 1, this.#nextId, 0)])),
    );
    this.#lastEdit = edit;
  }

  stream(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  currentUser(): Buffer {
    return atom(4086, u32(20, 0xe391_c05f, this.#lastEdit, 0));
  }

  #add(record: Buffer): void {
    this.#pieces.push(record);
    this.#length += record.length;
  }

  #slide(slide: PptSlide, notesId: number): Buffer {
    const { title, bullets, link, table, pictures = [], footer } = slide;
    const outlined = [title, bullets].filter((it) => it !== undefined);
    const shapes = [
      ...outlined.map((_, index) => shape([clientText([atom(3998, u32(index))])])),
      ...(link === undefined ? [] : [shape([clientText(this.#linked(link))])]),
      ...(table === undefined ? [] : [tableGroup(table)]),
      ...pictures.map(picture),
      // The number of the slide, which every slide shows.
      shape([placeholder(8), clientText(text(4, '*', [atom(4056, u32(0))]))]),
    ];
    return container(1006, [
      atom(1007, u32(0, 0, 0, 0x8000_0000, notesId, 0)),
      drawing(shapes),
      ...(footer === undefined ? [] : [footerRecord(footer)]),
    ]);
  }

  #linked({ text: words, target }: { readonly text: string; readonly target: string }): readonly Buffer[] {
    const id = this.#links.length + 1;
    this.#links.push(container(4055, [atom(4051, u32(id)), words16(words, 0), words16(target, 1)]));
    const click = container(4082, [atom(4083, u32(0, id, 0, 0))]);
    // Includes the end of the paragraph, as some programs do.
    return text(4, `See ${words}\rBye.`, [click, atom(4063, u32(4, 5 + words.length))]);
  }
}

/** Titles are stored with one byte per letter where that is enough, bullets with two. */
function outline({ title, bullets }: PptSlide): Buffer {
  const items = (bullets ?? []).map((it) => (typeof it === 'string' ? { level: 0, text: it } : it));
  const styles = items.map(({ text: words, level }, index) => {
    const count = Buffer.concat([u32(words.length + 1), u16(level)]);
    // Some paragraphs have properties: a bullet, its font, tabs.
    return index % 2 === 0
      ? Buffer.concat([count, u32(0)])
      : Buffer.concat([count, u32(0x10_0091), u16(1), u16(0x2022), u16(0), u16(1), u32(0)]);
  });
  const body = items.map(({ text: words }) => words).join('\r');
  return Buffer.concat([
    ...(title === undefined ? [] : text(0, title)),
    ...(bullets === undefined ? [] : text(1, body, [atom(4001, Buffer.concat(styles))])),
  ]);
}

function text(use: number, words: string, more: readonly Buffer[] = []): readonly Buffer[] {
  const isLow = [...words].every((letter) => letter.charCodeAt(0) < 256);
  const letters = isLow
    ? atom(4008, Buffer.from(words, 'latin1'))
    : atom(4000, Buffer.from(words, 'utf16le'));
  return [atom(3999, u32(use)), letters, ...more];
}

function notesRecord(words: string): Buffer {
  return container(1008, [drawing([shape([placeholder(12), clientText(text(2, words))])])]);
}

function footerRecord(words: string): Buffer {
  return container(4057, [atom(4058, Buffer.concat([u16(0), u16(0x20)])), words16(words, 2)]);
}

function drawing(shapes: readonly Buffer[]): Buffer {
  const group = container(0xf003, [shape([]), ...shapes]);
  return container(1036, [container(0xf002, [atom(0xf008, u32(0, 0)), group])]);
}

function shape(records: readonly Buffer[], kind = 1): Buffer {
  return container(0xf004, [atom(0xf00a, u32(0, 0), kind), ...records]);
}

function picture(description: string): Buffer {
  const words = Buffer.from(`${description}\0`, 'utf16le');
  const other = Buffer.from('x\0', 'utf16le');
  const said = [
    Buffer.concat([u16(0x104), u32(1)]),
    Buffer.concat([u16(0x8105), u32(other.length)]),
    Buffer.concat([u16(0x8381), u32(words.length)]),
  ];
  return shape([atom(0xf00b, Buffer.concat([...said, other, words]), said.length)], 75);
}

const CELL = 100;

function tableGroup(rows: readonly (readonly PptCell[])[]): Buffer {
  const marked = atom(0xf122, Buffer.concat([u16(0x39f), u32(1)]), 1);
  const cells = rows.flatMap((row, y) =>
    row.flatMap((words, x) => {
      if (words === null) return [];
      const bottom = rows[y + 1]?.[x] === null ? y + 2 : y + 1;
      const place = u32(x * CELL, y * CELL, (x + 1) * CELL, bottom * CELL);
      return [shape([atom(0xf00f, place), clientText(text(4, words))])];
    }),
  );
  const border = shape([atom(0xf00f, u32(0, 0, 0, rows.length * CELL))], 20);
  return container(0xf003, [shape([marked]), ...cells, border]);
}

function clientText(records: readonly Buffer[]): Buffer {
  return container(0xf00d, records);
}

function placeholder(kind: number): Buffer {
  return container(0xf011, [atom(3011, Buffer.concat([u32(0), u16(kind), u16(0)]))]);
}

/** A slide by the number under which the file has it. */
function persist(id: number, slideId: number): Buffer {
  return atom(1011, u32(id, 0, 0, slideId, 0));
}

function words16(words: string, instance: number): Buffer {
  return atom(4026, Buffer.from(words, 'utf16le'), instance);
}

function container(kind: number, records: readonly Buffer[], instance = 0): Buffer {
  return record(kind, Buffer.concat(records), (instance << 4) | CONTAINER);
}

function atom(kind: number, bytes: Buffer, instance = 0): Buffer {
  return record(kind, bytes, instance << 4);
}

function record(kind: number, bytes: Buffer, head: number): Buffer {
  return Buffer.concat([u16(head), u16(kind), u32(bytes.length), bytes]);
}
