// What the model reads about uploads: a notice after the person's message, only in its prompt. Pure.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import type { Message } from '../../messages/message.ts';
import { oncePerObject } from '../../messages/once-per-object.ts';
import { UPLOADS } from '../../workspace/uploads/upload-name.ts';
import { noticedMessage } from '../notices.ts';
import type { ShownUpload } from './shown-uploads.ts';

/** For more uploads, a notice refers to the folder. */
const MAX_SHOWN = 50;
const UNITS = ['KB', 'MB', 'GB'] as const;

/** Adds notices. Uploads of hidden messages go with the first human one. Same input, same object. */
export function withUploadNotices(
  messages: readonly Message[],
  described: readonly ShownUpload[],
): readonly Message[] {
  const notices = noticesOf(described);
  const shown = new Set(messages.flatMap(({ id }) => (notices.has(id) ? [id] : [])));
  const earlier = shown.size < notices.size ? earlierNotice(described, shown) : undefined;
  const first = earlier === undefined ? undefined : messages.find(({ type }) => type === 'human');
  return messages.map((message) => {
    if (message.type !== 'human') return message;
    const texts = [message === first ? earlier : undefined, notices.get(message.id)].filter(
      (text) => text !== undefined,
    );
    return texts.length === 0 ? message : noticedMessage(message, texts.join('\n\n'));
  });
}

const noticesOf = oncePerObject((shown: readonly ShownUpload[]): ReadonlyMap<string, string> => {
  const ids = new Set(shown.flatMap(({ message_id, gone_at = message_id }) => [message_id, gone_at]));
  return new Map([...ids].map((id) => [id, noticeWith(shown, id)]));
});

function noticeWith(shown: readonly ShownUpload[], id: string): string {
  const added = shown.filter(({ message_id }) => message_id === id);
  const paths = new Set(added.map(({ path }) => path));
  const gone = shown.filter(({ gone_at, path }) => gone_at === id && !paths.has(path));
  return notice([
    ...listed('Uploaded with this message:', added, added),
    ...(gone.length === 0 ? [] : [`No longer there: ${gone.map(({ path }) => path).join(', ')}`]),
  ]);
}

function earlierNotice(described: readonly ShownUpload[], shown: ReadonlySet<string>): string | undefined {
  const earlier = described.filter(({ message_id }) => !shown.has(message_id));
  const there = earlier.filter(({ gone_at }) => gone_at === undefined);
  return there.length === 0 ? undefined : notice(listed('Uploaded earlier:', there, earlier));
}

/** `entries`: all that were shown, including those that are gone. */
function listed(
  head: string,
  uploads: readonly ShownUpload[],
  entries: readonly ShownUpload[],
): readonly string[] {
  if (uploads.length === 0) return [];
  const lines = uploads.slice(0, MAX_SHOWN).map(({ path, size, markdown_path }) => {
    const markdown = markdown_path === undefined ? '' : `, as Markdown in ${markdown_path}`;
    return `- ${path} (${sizeText(size)})${markdown}`;
  });
  const omitted = entries.reduce((sum, { more }) => sum + (more?.count ?? 0), 0);
  const more = uploads.length - lines.length + omitted;
  return [head, ...lines, ...(more === 0 ? [] : [`... and ${more} more; use ls on ${UPLOADS} to see them.`])];
}

function notice(lines: readonly string[]): string {
  return ['<uploaded_files>', ...lines.map(withoutForgedMarks), '</uploaded_files>'].join('\n');
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  return `${(bytes / 1_000 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}
