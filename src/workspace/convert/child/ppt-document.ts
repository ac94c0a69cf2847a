// Locates the slides of an old presentation, in order, with the parts that are stored apart from them. Pure.
import { childOf, numberIn, type PptRecord, recordAt, recordsIn, textIn } from './ppt-records.ts';

export interface PptSlide {
  readonly record: PptRecord;
  /** The records of the texts that are stored in the outline of the presentation. */
  readonly outline: readonly PptRecord[];
  readonly notes: PptRecord | undefined;
}

export interface PptDocument {
  readonly slides: readonly PptSlide[];
  /** Addresses, by the ids with which texts refer to them. */
  readonly targets: ReadonlyMap<number, string>;
}

export const CSTRING = 4026;
const DOCUMENT = 1000;
const SLIDE = 1006;
const SLIDE_ATOM = 1007;
const NOTES_ID_AT = 16;
const SLIDE_PERSIST = 1011;
const SLIDE_ID_AT = 12;
const LINKS = 1033;
const LINK_ID = 4051;
const LINK = 4055;
const LINK_TARGET = 1;
const SLIDE_LIST = 4080;
const SLIDES = 0;
const NOTES = 2;
const USER_EDIT = 4085;
const LAST_EDIT_AT = 8;
const DIRECTORY_AT = 12;
const DOCUMENT_ID_AT = 16;
const DIRECTORY = 6002;
const ID_BITS = 20;
/** In the stream that names the last editor, including the head of the record. */
const CURRENT_EDIT_AT = 16;
/** Office programs write one for each quick save of a presentation. */
const MAX_EDITS = 10_000;

/** Returns `undefined` when the stream is not a presentation. */
export function pptDocument(stream: Buffer, currentUser: Buffer | undefined): PptDocument | undefined {
  const { places, documentId } = directoryOf(stream, currentUser);
  const placed = recordAt(stream, places.get(documentId) ?? -1);
  const document = placed?.kind === DOCUMENT ? placed : lastAtTop(stream, DOCUMENT);
  if (document === undefined) return undefined;
  const lists = [...recordsIn(document.content)].filter(({ kind }) => kind === SLIDE_LIST);
  const entries = (instance: number) => lists.filter((list) => list.instance === instance).flatMap(entriesOf);
  const notes = new Map(entries(NOTES).map(({ id, slideId }) => [slideId, places.get(id)]));
  // Each offset counts once: a hostile presentation shows one slide a million times.
  const seen = new Set<number>();
  const once = (place: number | undefined): PptRecord | undefined => {
    if (place === undefined || seen.has(place)) return undefined;
    seen.add(place);
    return recordAt(stream, place);
  };
  const slides = entries(SLIDES).flatMap(({ id, outline }) => {
    const record = once(places.get(id));
    if (record?.kind !== SLIDE) return [];
    const notesId = numberIn(childOf(record, SLIDE_ATOM), NOTES_ID_AT);
    return [{ record, outline, notes: notesId === 0 ? undefined : once(notes.get(notesId)) }];
  });
  return { slides, targets: targetsOf(document) };
}

interface Directory {
  /** Offsets of the parts of the presentation, by id. */
  readonly places: ReadonlyMap<number, number>;
  readonly documentId: number;
}

/** Each save records the parts that it moved. The latest record of a part counts. */
function directoryOf(stream: Buffer, currentUser: Buffer | undefined): Directory {
  const places = new Map<number, number>();
  const said =
    currentUser !== undefined && currentUser.length >= CURRENT_EDIT_AT + 4
      ? recordAt(stream, currentUser.readUInt32LE(CURRENT_EDIT_AT))
      : undefined;
  let edit = said?.kind === USER_EDIT ? said : lastAtTop(stream, USER_EDIT);
  const documentId = numberIn(edit, DOCUMENT_ID_AT);
  for (let edits = 0; edit?.kind === USER_EDIT && edits < MAX_EDITS; edits++) {
    const directory = recordAt(stream, numberIn(edit, DIRECTORY_AT));
    if (directory?.kind === DIRECTORY) notePlaces(directory.content, places);
    const before = numberIn(edit, LAST_EDIT_AT);
    // An earlier save lies before this one. Anything else would be a loop.
    edit = before > 0 && before < edit.at ? recordAt(stream, before) : undefined;
  }
  return { places, documentId };
}

function notePlaces(bytes: Buffer, places: Map<number, number>): void {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const entry = bytes.readUInt32LE(at);
    const first = entry & ((1 << ID_BITS) - 1);
    at += 4;
    for (let index = 0; index < entry >>> ID_BITS && at + 4 <= bytes.length; index++, at += 4) {
      if (!places.has(first + index)) places.set(first + index, bytes.readUInt32LE(at));
    }
  }
}

function lastAtTop(stream: Buffer, kind: number): PptRecord | undefined {
  let last: PptRecord | undefined;
  for (const record of recordsIn(stream)) if (record.kind === kind) last = record;
  return last;
}

interface ListEntry {
  readonly id: number;
  readonly slideId: number;
  readonly outline: PptRecord[];
}

/** The texts of a slide follow the record that names it. */
function entriesOf({ content }: PptRecord): readonly ListEntry[] {
  const entries: ListEntry[] = [];
  for (const record of recordsIn(content)) {
    if (record.kind !== SLIDE_PERSIST) entries.at(-1)?.outline.push(record);
    else entries.push({ id: numberIn(record, 0), slideId: numberIn(record, SLIDE_ID_AT), outline: [] });
  }
  return entries;
}

function targetsOf(document: PptRecord): ReadonlyMap<number, string> {
  const targets = new Map<number, string>();
  const list = childOf(document, LINKS);
  if (list?.holdsRecords !== true) return targets;
  for (const link of recordsIn(list.content)) {
    if (link.kind !== LINK) continue;
    const target = childOf(link, CSTRING, LINK_TARGET);
    if (target !== undefined) targets.set(numberIn(childOf(link, LINK_ID), 0), textIn(target));
  }
  return targets;
}
