// The requests of the measurements of single runs, and how they read streams.
import type { RunningService } from './service.ts';

export interface StartedRun {
  readonly runId: string;
  /** Of the run, without the host. */
  readonly path: string;
}

/** A thread of its own with one run on it; the run is not read. */
export async function startRun(service: RunningService, question: string): Promise<StartedRun> {
  const { thread_id } = await post(service, `${service.prefix}/threads`, {});
  const path = `${service.prefix}/threads/${thread_id}/runs`;
  const { run_id } = await post(service, path, {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: question }] },
    stream_mode: ['messages-tuple'],
  });
  return { runId: String(run_id), path: `${path}/${run_id}` };
}

export async function post(
  service: RunningService,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

export interface ReadStream {
  /** The number of frames, how many of them were pieces of text, and the id of the last one. */
  readonly frames: number;
  readonly tokens: number;
  readonly lastId: string;
  /** When the last piece that was read came, by `performance.now`. */
  readonly readAt: number;
}

/** Data of a `messages` frame with a piece of text. */
const TOKEN = /^data: \[\{"content":"[^"]/;

/** Reads the stream of a run until `enough` or to its end, whichever comes first. */
export async function readStream(
  service: RunningService,
  { path }: StartedRun,
  options: { readonly after?: string; readonly enough?: (read: ReadStream) => boolean } = {},
): Promise<ReadStream> {
  const { after, enough = () => false } = options;
  const leaving = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}/stream`, {
    headers: { ...service.headers, ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal: leaving.signal,
  });
  let read: ReadStream = { frames: 0, tokens: 0, lastId: '', readAt: performance.now() };
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of answer.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    const ids = lines.filter((line) => line.startsWith('id: '));
    read = {
      frames: read.frames + ids.length,
      tokens: read.tokens + lines.filter((line) => TOKEN.test(line)).length,
      lastId: ids.at(-1)?.slice('id: '.length) ?? read.lastId,
      readAt: performance.now(),
    };
    if (enough(read)) break;
  }
  leaving.abort();
  return read;
}

/** The share `at` of the values, by their size. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}
