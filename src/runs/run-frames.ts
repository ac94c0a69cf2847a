// The frames of a run for one reader: events from the log, states from the checkpoints, ids that never change.
import type { StateDelta } from '../messages/thread-state.ts';
import { isTerminal } from '../storage/runs.ts';
import { parsedDelta, type ThreadStates } from '../storage/thread-states.ts';
import { isPiece, type LoggedEvent, loggedEvents, spoken } from './log-event.ts';
import type { RunReader, RunStream } from './run-stream.ts';
import type { FrameContext } from './stream-modes/frame-context.ts';
import { createFrameContexts, type FrameContexts, type WantedFrames } from './stream-modes/frame-contexts.ts';
import { framesOf, showsState, subagentFrames } from './stream-modes/frames-of.ts';
import type { Frame, ShownState } from './stream-modes.ts';

/** A frame with its id `<seq>-<k>`. */
export interface NumberedFrame extends Frame {
  readonly id: string;
}

/** The last frame that a reader has seen: `{seq: 0, index: 0}` for none. */
export interface FramePosition {
  readonly seq: number;
  /** How many frames of the event at `seq` were seen; `Infinity` for all. */
  readonly index: number;
}

export const FROM_THE_START: FramePosition = { seq: 0, index: Number.POSITIVE_INFINITY };

export interface RunFrames {
  /** Frames after the position, in batches, to the `end` frame. */
  read(
    reader: Omit<RunReader, 'after'>,
    wanted: WantedFrames,
    after: FramePosition,
  ): AsyncGenerator<readonly NumberedFrame[], void, void>;
}

interface RunFramesParts {
  readonly stream: RunStream;
  readonly states: ThreadStates;
}

/**
 * A batch is what a slow reader holds: it is cut after the event that makes it this long, so that only a single event
 * can make it longer than 64 KB.
 */
const MAX_BATCH_CHARACTERS = 16_384;
const MAX_READ_BYTES = 65_536;
/** What a frame costs beside its data. */
const FRAME_CHARACTERS = 64;

export function createRunFrames(parts: RunFramesParts): RunFrames {
  return {
    read: ({ run: { runId, threadId, status, attempt }, repositories, signal }, wanted, position) => {
      const run = { runId, threadId, status, attempt };
      return readFrames(parts, { run, repositories, signal }, { wanted, position });
    },
  };
}

async function* readFrames(
  { stream, states }: RunFramesParts,
  reader: Omit<RunReader, 'after'>,
  { wanted, position: claimed }: { readonly wanted: WantedFrames; readonly position: FramePosition },
): AsyncGenerator<readonly NumberedFrame[], void, void> {
  const { runId } = reader.run;
  const position = await positionInRun(reader, claimed);
  const contexts = createFrameContexts(reader.run, wanted);
  // The event at the position is read again: what is left of it may be nothing, and the end must be recognised.
  const after = Math.max(0, position.seq - 1);
  if (wanted.modes.includes('messages')) await hearWritten(reader, contexts, after);
  let isFirst = true;
  for await (const batch of stream.read({ ...reader, after })) {
    const gap = isFirst ? gapFrames(runId, position, batch) : [];
    isFirst = false;
    if (gap.length > 0) yield gap;
    yield* batchFrames(states, reader, { batch, contexts, position });
  }
}

/** A reader in the middle of a message is shown all of it again, what was written before it came included. */
async function hearWritten(
  { run, repositories }: Omit<RunReader, 'after'>,
  contexts: FrameContexts,
  until: number,
): Promise<void> {
  for (let after = 0; after < until; ) {
    const rows = await repositories.frames.read(run.runId, after, MAX_READ_BYTES);
    for (const { seq, event } of rows.flatMap((row) => loggedEvents(row, after))) {
      const piece = spoken(event);
      if (seq <= until && isPiece(piece)) contexts.of(event)?.growing?.hear(piece);
    }
    after = rows.at(-1)?.lastSeq ?? until;
  }
}

interface BatchToShow {
  readonly batch: readonly LoggedEvent[];
  readonly contexts: FrameContexts;
  readonly position: FramePosition;
}

async function* batchFrames(
  states: ThreadStates,
  reader: Omit<RunReader, 'after'>,
  { batch, contexts, position }: BatchToShow,
): AsyncGenerator<readonly NumberedFrame[], void, void> {
  let frames: NumberedFrame[] = [];
  let characters = 0;
  for (const logged of batch) {
    if (characters >= MAX_BATCH_CHARACTERS) {
      yield frames;
      frames = [];
      characters = 0;
    }
    const { event, seq } = logged;
    const context = contexts.of(event);
    if (context === undefined) continue;
    const shown = needsState(logged, context) ? await shownState(states, reader, logged) : undefined;
    const shownFrames =
      event.type === 'subagent' ? subagentFrames(event, context, shown) : framesOf(event, context, shown);
    for (const frame of numbered(shownFrames, seq, position)) {
      characters += charactersOf(frame) - dropOlderPartial(frames, frame);
      frames.push(frame);
    }
  }
  if (frames.length > 0) yield frames;
}

function charactersOf({ data }: Frame): number {
  return data.length + FRAME_CHARACTERS;
}

/** A message that grew while its reader was busy is shown as it stands now; the characters that this spares. */
function dropOlderPartial(frames: NumberedFrame[], { partialOf }: Frame): number {
  if (partialOf === undefined) return 0;
  const place = frames.findLastIndex((frame) => frame.partialOf === partialOf);
  const [older] = place < 0 ? [] : frames.splice(place, 1);
  return older === undefined ? 0 : charactersOf(older);
}

/**
 * The position, if the log of the run has come so far; one that it never reached says nothing of what was seen. The
 * `end` of a run without its own is one place after the log, or the second one when there is no log.
 */
async function positionInRun(
  { run, repositories }: Omit<RunReader, 'after'>,
  position: FramePosition,
): Promise<FramePosition> {
  if (position.seq <= 1) return position;
  const reached = await repositories.frames.read(run.runId, position.seq - 2, 1);
  const isEndOfNothing = position.seq === 2 && isTerminal(run.status);
  return reached.length > 0 || isEndOfNothing ? position : FROM_THE_START;
}

function needsState({ event, whole = false }: LoggedEvent, { modes }: FrameContext): boolean {
  return showsState(spoken(event), modes) || (whole && modes.has('messages-tuple'));
}

/** What the reader saw last is pruned, so it cannot know what it missed: it is told to load the state anew. */
function gapFrames(
  runId: string,
  { seq, index }: FramePosition,
  batch: readonly LoggedEvent[],
): NumberedFrame[] {
  const [first] = batch;
  if (seq === 0 || first === undefined || first.seq <= seq) return [];
  const id = `${seq}-${Number.isFinite(index) ? index : 0}`;
  const data = JSON.stringify({
    code: 'stream_gap',
    run_id: runId,
    requested_event_id: Number.isFinite(index) ? `${seq}-${index - 1}` : String(seq),
    earliest_event_id: `${first.seq}-0`,
    recovery: 'reload_state',
  });
  return [{ event: 'gap', data, id }];
}

/** The frames of one event that the reader has not seen, with their ids. */
function numbered(frames: readonly Frame[], seq: number, position: FramePosition): readonly NumberedFrame[] {
  const unseen = seq > position.seq ? 0 : position.index;
  return frames.map((frame, index) => ({ ...frame, id: `${seq}-${index}` })).slice(unseen);
}

const NO_CHANGE: StateDelta = { messages: [], values: {} };

/** The state behind an event, for modes that show it; `undefined` when its thread was deleted under the reader. */
export async function shownState(
  states: ThreadStates,
  { run, repositories: { checkpoints } }: Omit<RunReader, 'after'>,
  { event, delta, whole = false }: LoggedEvent,
): Promise<ShownState | undefined> {
  const written = spoken(event);
  if (!('checkpointId' in written) || written.checkpointId === undefined) return undefined;
  const folded = await states.at(checkpoints, run.threadId, written.checkpointId);
  if (folded === undefined) return undefined;
  if (written.type !== 'state') return { state: folded.state, delta: NO_CHANGE, whole };
  if (delta !== undefined) return { state: folded.state, delta, whole };
  const text = await checkpoints.delta(run.threadId, written.checkpointId);
  return text === undefined ? undefined : { state: folded.state, delta: parsedDelta(text), whole };
}

/** Reads `Last-Event-ID`: `n-k`, a bare `n` (the whole event was seen), `-1` or anything else: from the start. */
export function framePosition(lastEventId: string | undefined): FramePosition {
  const match = /^(\d{1,15})(?:-(\d{1,9}))?$/.exec(lastEventId ?? '');
  if (match === null) return FROM_THE_START;
  const [, seq, index] = match;
  return {
    seq: Number(seq),
    index: index === undefined ? Number.POSITIVE_INFINITY : Number(index) + 1,
  };
}
