// The tools on a thread's files: ls, read_file, write_file, str_replace.
import { z } from 'zod';
import { withForgedMarks } from '../messages/forged-marks.ts';
import type { ImageStore } from '../workspace/images/image-store.ts';
import type { WorkspaceListing } from '../workspace/list-folder.ts';
import { parsePathBelow, VIRTUAL_ROOT } from '../workspace/paths.ts';
import { isBelow } from '../workspace/read-only/read-only-folders.ts';
import type { TextSlice } from '../workspace/text-slice.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import {
  defineTool,
  failure,
  reason,
  result,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from './tool.ts';
import { imageOutcome } from './view-image.ts';

const LIST_LEVELS = 2;
const MAX_LISTED_CHARACTERS = 20_000;
const MAX_READ_CHARACTERS = 50_000;
const MAX_WRITTEN_BYTES = 80 * 1024;

const filePath = z.string().describe('Absolute path of the file, like /mnt/user-data/workspace/NOTES.md');
const lineNumber = z.int().min(1).nullish();

/**
 * Returns the four tools, in the order in which a model is shown them. They take virtual paths only. Every
 * failure is a `failure` that begins with `Error: `.
 */
export function createFileTools(parts: FileToolParts): readonly Tool[] {
  return [
    createLsTool(parts),
    createReadFileTool(parts),
    createWriteFileTool(parts),
    createStrReplaceTool(parts),
  ];
}

interface FileToolParts {
  readonly filesFor: (context: ToolContext) => WorkspaceFiles;
  readonly images: ImageStore;
}

function createLsTool({ filesFor }: FileToolParts): Tool {
  return defineTool({
    name: 'ls',
    description: 'Lists what is in a folder, two levels deep. Folders end with a slash.',
    input: z.object({
      description: reason,
      path: z.string().describe('Absolute path of the folder, like /mnt/user-data/workspace'),
    }),
    effect: 'read',
    run: async ({ path }, context) => result(listingText(await filesFor(context).list(path, LIST_LEVELS))),
  });
}

function createReadFileTool({ filesFor, images }: FileToolParts): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file, or the lines from start_line to end_line of it (counted from 1, both included). ' +
      'Shows a PNG, JPEG, WebP or GIF image, if you can see images.',
    input: z.object({
      description: reason,
      path: filePath,
      start_line: lineNumber.describe('First line to read'),
      end_line: lineNumber.describe('Last line to read'),
    }),
    effect: 'read',
    run: async ({ path, start_line, end_line }, context) => {
      const startLine = start_line ?? 1;
      const endLine = end_line ?? undefined;
      if (endLine !== undefined && startLine > endLine) {
        return result(`(start_line > end_line: ${startLine} > ${endLine})`);
      }
      const range = {
        startLine,
        endLine,
        maxCharacters: Math.min(MAX_READ_CHARACTERS, context.maxCharacters),
      };
      const slice = await filesFor(context).readText(path, range);
      const mayBeImage = slice.kind === 'binary' && isBelow(VIRTUAL_ROOT, path);
      const image = mayBeImage ? await imageOutcome(images, path, context) : undefined;
      return image ?? withVersion(readOutcome(path, slice), path, context);
    },
  });
}

function createWriteFileTool({ filesFor }: FileToolParts): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a text file, creating its folders. An existing file, which you must have read before, is replaced, or with ' +
      'append=true added to. ' +
      'Write long texts in several calls with append=true.',
    input: z.object({
      description: reason,
      path: filePath,
      content: z.string().describe('The text to write'),
      append: z.boolean().nullish().describe('Add to the end of the file instead of replacing it'),
    }),
    // An effect belongs to a tool, not to a call: replacing could be repeated, appending twice would double the text.
    effect: 'once',
    run: async ({ path, content, append }, context) => {
      if (Buffer.byteLength(content) > MAX_WRITTEN_BYTES) return failure(tooLong(path));
      await filesFor(context).writeText(path, content, append === true ? 'append' : 'replace');
      return withVersion(result('OK'), path, context);
    },
  });
}

function createStrReplaceTool({ filesFor }: FileToolParts): Tool {
  return defineTool({
    name: 'str_replace',
    description:
      'Replaces text in a file: the first occurrence of old_str, or with replace_all=true every one. ' +
      'old_str must match exactly, including whitespace. Read the file before you change it.',
    input: z.object({
      description: reason,
      path: filePath,
      old_str: z.string().describe('The text to replace'),
      new_str: z.string().describe('The text to put in its place'),
      replace_all: z.boolean().nullish().describe('Replace every occurrence instead of the first'),
    }),
    // Run again, it would replace the next occurrence.
    effect: 'once',
    run: async ({ path, old_str, new_str, replace_all }, context) => {
      if (old_str === '') return result('OK');
      const occurrences = replace_all === true ? 'all' : 'first';
      const files = filesFor(context);
      const replaces = async (search: string, replacement: string) =>
        (await files.replaceText(path, { search, replacement, occurrences })) > 0;
      // The model copies prompt marks as it is shown them (docs/decisions/0046-forged-marks.md).
      const meant = withForgedMarks(old_str);
      const isReplaced =
        (await replaces(old_str, new_str)) ||
        (meant !== old_str && (await replaces(meant, withForgedMarks(new_str))));
      return isReplaced
        ? withVersion(result('OK'), path, context)
        : failure(`Error: String to replace not found in file: ${path}`);
    },
  });
}

function listingText({ entries, complete }: WorkspaceListing): string {
  if (entries.length === 0) return '(empty)';
  const lines: string[] = [];
  let characters = 0;
  for (const { path, kind } of entries) {
    const line = kind === 'folder' ? `${path}/` : path;
    characters += line.length + 1;
    if (characters > MAX_LISTED_CHARACTERS) break;
    lines.push(line);
  }
  if (!complete || lines.length < entries.length) {
    lines.push(`... [truncated: showed the first ${lines.length} entries; list a folder further down]`);
  }
  return lines.join('\n');
}

function readOutcome(path: string, slice: TextSlice): ToolOutcome {
  switch (slice.kind) {
    case 'text':
      if (slice.text === '') return result('(empty)');
      return result(slice.cut ? `${slice.text}\n${cutHint(slice.text.length)}` : slice.text);
    case 'past_end':
      return result(`(start_line exceeds file length: the file has ${slice.lines} lines)`);
    case 'binary':
      return failure(`Error: ${path} is a binary file and cannot be shown as text.`);
    case 'too_far':
      return failure(
        `Error: ${path} is too large: only its first ${slice.searchedBytes / 1024 ** 2} MiB are searched for lines.`,
      );
  }
}

/** Adds the version, so that what the agent knows of the file is stored with its thread. */
function withVersion(outcome: ToolOutcome, path: string, { knownFiles }: ToolContext): ToolOutcome {
  const file = parsePathBelow(VIRTUAL_ROOT, path);
  if (file === undefined || outcome.kind !== 'result') return outcome;
  const version = knownFiles.get(file.text);
  return version === undefined ? outcome : { ...outcome, artifact: { file: { path: file.text, version } } };
}

function cutHint(characters: number): string {
  return `... [truncated: showed the first ${characters} characters; use start_line and end_line to read the rest]`;
}

function tooLong(path: string): string {
  return (
    `Error: the content is longer than ${MAX_WRITTEN_BYTES / 1024} KiB and was not written to ${path}. ` +
    'Write it in several calls: the first without append, the others with append=true.'
  );
}
