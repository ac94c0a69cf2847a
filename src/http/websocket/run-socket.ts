// A run over a WebSocket. The client's first frame requests it, and its frames follow. Leaving counts as leaving a stream.

import type { WebSocket } from 'ws';
import { z } from 'zod';
import { validationFailed } from '../../errors.ts';
import { parseJsonText } from '../../json/json-text.ts';
import type { Log } from '../../log.ts';
import { stateObject } from '../../messages/bounded-json.ts';
import type { JsonObject } from '../../messages/message.ts';
import { FROM_THE_START, type FramePosition, framePosition } from '../../runs/reading/frame-position.ts';
import { within } from '../../runs/reading/stream-modes/frame-text.ts';
import { type RunBody, runBodySchema } from '../../runs/request/run-body.ts';
import { endsWithReader } from '../../runs/request/run-request.ts';
import { STREAM_MODES, type StreamMode } from '../../runs/request/stream-modes.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type { RunRecord } from '../../storage/runs.ts';
import { requireCsrfToken } from '../access/session-cookies.ts';
import type { AppContext } from '../api/context.ts';
import { mayWrite, requireWrite } from '../api/route-access.ts';
import { validate } from '../api/validate.ts';
import type { RunResponses } from '../runs/run-responses.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { CLOSE, type LiveSocket, openLiveSocket, refusalOf } from './live-socket.ts';

export interface RunSocketParts {
  readonly openStreams: OpenStreams;
  readonly runs: RunService;
  readonly responses: Pick<RunResponses, 'start'>;
  readonly log: Log;
  readonly now: () => number;
}

/** Serves one socket of an authenticated request with a thread of the user. */
export function serveRunSocket(parts: RunSocketParts, c: AppContext, socket: WebSocket): void {
  new RunSocket(parts, c, socket);
}

interface Reading {
  readonly run: RunRecord;
  readonly after: FramePosition;
  readonly modes?: readonly StreamMode[];
}

type State =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'starting'; readonly cancelWanted: boolean }
  | { readonly kind: 'reading'; readonly run: RunRecord };

class RunSocket {
  readonly #parts: RunSocketParts;
  readonly #c: AppContext;
  readonly #live: LiveSocket;
  #state: State = { kind: 'waiting' };

  constructor(parts: RunSocketParts, c: AppContext, socket: WebSocket) {
    this.#parts = parts;
    this.#c = c;
    this.#live = openLiveSocket(socket, {
      openStreams: parts.openStreams,
      now: parts.now,
      follower: c.var,
      onMessage: (bytes) => this.#receive(bytes),
    });
    parts.log.debug({ threadId: c.var.thread.threadId }, 'a run socket was opened');
  }

  #receive(bytes: Uint8Array): void {
    try {
      if (this.#state.kind === 'waiting') this.#begin(bytes);
      else this.#cancel(bytes);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #begin(bytes: Uint8Array): void {
    const request = runSocketRequest(this.#c, bytes);
    if (request.kind === 'run') requireWrite(this.#c);
    this.#state = { kind: 'starting', cancelWanted: false };
    const reading = request.kind === 'run' ? this.#started(request.body) : this.#joined(request);
    reading.then((it) => this.#read(it)).catch((error: unknown) => this.#refuse(error));
  }

  async #started(body: Parameters<RunResponses['start']>[1]): Promise<Reading> {
    return { run: await this.#parts.responses.start(this.#c, body), after: FROM_THE_START };
  }

  async #joined({ runId, ...from }: Omit<Reading, 'run'> & { readonly runId: string }): Promise<Reading> {
    const { repositories, thread } = this.#c.var;
    return { run: await this.#parts.runs.get(repositories, thread.threadId, runId), ...from };
  }

  #cancel(bytes: Uint8Array): void {
    validate(cancelSchema, frameObject(bytes), 'body');
    requireWrite(this.#c);
    if (this.#state.kind === 'reading') {
      this.#parts.runs.cancelDetached(this.#c.var.repositories, this.#state.run);
    } else this.#state = { kind: 'starting', cancelWanted: true };
  }

  async #read({ run, after, modes }: Reading): Promise<void> {
    const { runs } = this.#parts;
    const { repositories } = this.#c.var;
    if (this.#state.kind === 'starting' && this.#state.cancelWanted) runs.cancelDetached(repositories, run);
    this.#state = { kind: 'reading', run };
    let ended = false;
    try {
      ended = await this.#send(runs.frames({ repositories, run, after, signal: this.#live.closed, modes }));
    } finally {
      if (!ended && mayWrite(this.#c) && endsWithReader(run)) runs.cancelDetached(repositories, run);
    }
    if (ended) this.#live.close(CLOSE.done, 'The run has ended.');
  }

  /** Sends the frames. Returns whether all were sent, to the end. */
  async #send(frames: ReturnType<RunService['frames']>): Promise<boolean> {
    for await (const batch of frames) {
      for (const { event, data, id } of batch) {
        const text = within(`{"event":${JSON.stringify(event)},"data":`, data, `,"id":"${id}"}`);
        const slow = this.#live.send(typeof text === 'string' ? text : text.pieces());
        if (slow !== undefined) await slow;
      }
    }
    return !this.#live.closed.aborted;
  }

  /** Sends the reason before closing the socket: a page can read more of it than fits into a close frame. */
  #refuse(error: unknown): void {
    const { code, ...data } = refusalOf(error, this.#parts.log);
    void this.#live.send(JSON.stringify({ event: 'error', data, id: null }));
    this.#live.close(code, data.message);
  }
}

/** The first frame of a run's WebSocket: a run request, or a run to join, each with the CSRF token. */
type RunSocketRequest =
  | { readonly kind: 'run'; readonly body: RunBody }
  | {
      readonly kind: 'join';
      readonly runId: string;
      readonly after: FramePosition;
      /** If absent, the modes with which the run was created. */
      readonly modes?: readonly StreamMode[];
    };

const joinSchema = z.object({
  join: z.string().min(1).max(128),
  last_event_id: z.string().max(64).nullish(),
  stream_mode: z.array(z.enum(STREAM_MODES)).min(1).max(STREAM_MODES.length).nullish(),
});

/** Parses the first frame. Throws `validation_failed` if it is not a request, `forbidden` without the token. */
function runSocketRequest(c: AppContext, bytes: Uint8Array): RunSocketRequest {
  const { csrf_token: token, ...request } = frameObject(bytes);
  requireCsrfToken(c, typeof token === 'string' ? token : undefined);
  if (!('join' in request)) return { kind: 'run', body: validate(runBodySchema, request, 'body') };
  const join = validate(joinSchema, request, 'body');
  return {
    kind: 'join',
    runId: join.join,
    after: framePosition(join.last_event_id ?? undefined),
    ...(join.stream_mode == null ? {} : { modes: join.stream_mode }),
  };
}

/** A later frame can only cancel the run. */
const cancelSchema = z.object({ cancel: z.literal('interrupt') });

function frameObject(bytes: Uint8Array): JsonObject {
  const parsed = stateObject.safeParse(parseJsonText(bytes));
  if (!parsed.success) throw validationFailed(['body'], 'A frame is a JSON object.');
  return parsed.data;
}
