// The Markdown beside an uploaded document: created after the upload, awaited briefly, removed with it.
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Converter } from '../convert/converter.ts';
import { type Folder, openChildFile, useFile } from '../folder.ts';
import type { WorkspacePlace } from '../paths.ts';
import type { DiskUse, DiskUseOf } from '../quota/disk-use.ts';
import type { Space } from '../quota/space.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import { insideUploads, removeFiles } from './inside-uploads.ts';
import { withUploadDrafts } from './upload-drafts.ts';
import { markdownName, sameNameKey } from './upload-name.ts';
import type { UploadNote, UploadNotes } from './upload-notes.ts';

export type MarkdownState =
  | { readonly kind: 'converting' }
  /** `file` is the name of the Markdown, beside the document. */
  | { readonly kind: 'converted'; readonly file: string }
  /** `reason` is a sentence. */
  | { readonly kind: 'failed'; readonly reason: string };

/** A document that was announced. `job` identifies its conversion. */
export interface ExpectedMarkdown {
  readonly name: string;
  readonly job: string;
}

interface MarkdownCompanionParts {
  readonly dataHome: string;
  readonly converter: Converter;
  readonly waitMs: number;
  readonly notes: UploadNotes;
  readonly diskUseOf: DiskUseOf;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** Whether this process alone works on the data home. If so, no other process runs a conversion. */
  readonly exclusive: boolean;
}

/** How often a conversion checks whether its document still exists, because any process may remove it. */
const CHECK_MS = 250;
const MARKDOWN = '.md';
/** The number of a name that was taken. The Markdown of `a.pdf` may get it, too. */
const NUMBER = / \(\d+\)\.md$/;

interface Document {
  readonly place: WorkspacePlace;
  readonly name: string;
  readonly folder: Folder;
  readonly handle: FileHandle;
  /** Resolves when the documents before it that want the same name have their Markdown, or none. */
  readonly turn: Promise<unknown>;
}

interface ConversionToRun extends ExpectedMarkdown {
  readonly turn: Promise<unknown>;
}

export class MarkdownCompanions {
  readonly #parts: MarkdownCompanionParts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(parts: MarkdownCompanionParts) {
    this.#parts = parts;
  }

  /** Records which of the new files are documents that will be converted, and returns these. */
  async expect(place: WorkspacePlace, names: readonly string[]): Promise<readonly ExpectedMarkdown[]> {
    const { converter, notes, now, newId } = this.#parts;
    const expected: ExpectedMarkdown[] = [];
    for (const name of names) {
      const extension = extname(name).toLowerCase();
      if (extension === MARKDOWN) await notes.disown(place, name);
      if (converter.reads(extension)) {
        const job = newId();
        const until = now() + converter.longestMs;
        await notes.put(place, name, { converting: { job, until } });
        expected.push({ name, job });
      } else await notes.remove(place, name);
    }
    return expected;
  }

  /**
   * Starts the conversions, and resolves when all have ended or `waitMs` have passed. Never rejects for a
   * document. Of documents whose Markdown would have the same name, the first one in the list gets it.
   */
  async convert(place: WorkspacePlace, expected: readonly ExpectedMarkdown[]): Promise<void> {
    if (expected.length === 0) return;
    const turns = new Map<string, Promise<unknown>>();
    const begun = expected.map((it) => {
      const wanted = sameNameKey(markdownName(it.name)).replace(NUMBER, MARKDOWN);
      const turn = turns.get(wanted) ?? Promise.resolve();
      const ending = this.#convert(place, { ...it, turn }).finally(() => this.#running.delete(it.job));
      this.#running.set(it.job, ending);
      turns.set(wanted, Promise.all([turn, ending]));
      return ending;
    });
    const patience = new AbortController();
    const waited = pause(this.#parts.waitMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([Promise.all(begun), waited]);
    patience.abort();
  }

  /** Returns what is known about the Markdown of an upload; `undefined` for a file that is not a document. */
  async state(place: WorkspacePlace, name: string): Promise<MarkdownState | undefined> {
    const { markdown_file, conversion_error, converting } = await this.#parts.notes.get(place, name);
    if (markdown_file !== undefined) return { kind: 'converted', file: markdown_file };
    if (conversion_error !== undefined) return { kind: 'failed', reason: conversion_error };
    if (converting === undefined) return undefined;
    return this.#isAlive(converting) ? { kind: 'converting' } : { kind: 'failed', reason: BROKEN_OFF };
  }

  /** Called when a document is removed. Removes its Markdown; a conversion in progress ends. */
  async remove(place: WorkspacePlace, name: string, folder: Folder): Promise<void> {
    const { notes } = this.#parts;
    const { markdown_file } = await notes.get(place, name);
    if (markdown_file !== undefined) await removeFiles(folder, [markdown_file]);
    await notes.remove(place, name);
  }

  /** Ends all conversions, and records that for their documents. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  #isAlive({ job, until }: { readonly job: string; readonly until: number }): boolean {
    if (this.#running.has(job)) return true;
    return !this.#parts.exclusive && this.#parts.now() < until;
  }

  /** In any case, the document stays, and its note records how the conversion ended. */
  async #convert(place: WorkspacePlace, { name, job, turn }: ConversionToRun): Promise<void> {
    const { dataHome, notes, log } = this.#parts;
    try {
      await insideUploads(dataHome, { place, create: false }, (folder) =>
        useFile(openChildFile(folder, name), ({ handle }) =>
          this.#note({ place, name, folder, handle, turn }, job),
        ),
      );
    } catch (err) {
      // It was removed before its conversion started.
      if (isFileSystemError(err, 'ENOENT')) return;
      log.warn({ err }, 'a document could not be converted');
      await notes.settle(place, name, { job, note: { conversion_error: FAILED } }).catch(() => {});
    }
  }

  async #note(document: Document, job: string): Promise<void> {
    const { place, name, folder } = document;
    const note = await this.#markdownOf(document);
    const isGone = await wasRemoved(document.handle);
    const settled = !isGone && (await this.#parts.notes.settle(place, name, { job, note }));
    if (!settled && note.markdown_file !== undefined) await removeFiles(folder, [note.markdown_file]);
  }

  async #markdownOf(document: Document): Promise<UploadNote> {
    const removed = new AbortController();
    const timer = setInterval(() => {
      wasRemoved(document.handle).then(
        (isGone) => isGone && removed.abort(),
        () => removed.abort(),
      );
    }, CHECK_MS);
    const signal = AbortSignal.any([removed.signal, this.#stopping.signal]);
    const extension = extname(document.name).toLowerCase();
    const { place, handle } = document;
    try {
      const asked = { userId: place.userId, fd: handle.fd, extension, signal };
      const conversion = await this.#parts.converter.convert(asked);
      if (conversion.kind === 'failed') return { conversion_error: conversion.reason };
      await document.turn;
      return removed.signal.aborted ? {} : await this.#keep(document, conversion.markdown);
    } finally {
      clearInterval(timer);
    }
  }

  async #keep({ place, name, folder }: Document, markdown: string): Promise<UploadNote> {
    const diskUse = this.#parts.diskUseOf(place);
    const bytes = Buffer.from(markdown);
    const space = { bytes: bytes.length, entries: 1 };
    if (!(await fits(diskUse, space))) return { conversion_error: NO_SPACE };
    const file = await withUploadDrafts(this.#parts, async (drafts) => {
      const draft = await drafts.receive([bytes]);
      return drafts.place(draft, folder, markdownName(name));
    });
    diskUse.added(space);
    return { markdown_file: file };
  }
}

const FAILED = 'The document could not be converted.';
const BROKEN_OFF =
  'The service stopped while converting the document. Upload it again if you need its Markdown.';
const NO_SPACE = 'There is no space for the Markdown of the document. Delete some files and upload it again.';

async function fits(diskUse: DiskUse, space: Space): Promise<boolean> {
  try {
    await diskUse.admit(space);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** True when the open file has no name: it was removed, here, by another process, or with its thread. */
async function wasRemoved(handle: FileHandle): Promise<boolean> {
  return (await handle.stat()).nlink === 0;
}
