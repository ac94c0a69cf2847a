// The frames of a run for one reader: events from the log, states from checkpoints, ids that never change.
import { NO_CHANGE } from '../../messages/thread-state.ts';
import { isTerminal } from '../../storage/runs.ts';
import { parsedDelta, type ThreadStates } from '../../storage/thread-states.ts';
import type { SeenPlace } from '../log/epochs.ts';
import { innerEvent, isPiece, type LoggedEvent } from '../log/log-event.ts';
import type { LogPlace } from '../log/run-tails.ts';
import type { Frame, ShownState } from '../request/stream-modes.ts';
import { FROM_THE_START, type FramePosition, frameId, idAt } from './frame-position.ts';
import type { RunReader, RunStream } from './run-stream.ts';
import {
  createFrameContexts,
  type FrameContext,
  type FrameContextOf,
  type WantedFrames,
} from './stream-modes/frame-context.ts';
import { framesOf, showsState, subagentFrames } from './stream-modes/frames-of.ts';

/** A frame with its id `<seq>-<k>-<epoch>`. */
export interface NumberedFrame extends Frame {
  readonly id: string;
}

interface RunFramesParts {
  readonly stream: RunStream;
  readonly states: ThreadStates;
}

/** A slow reader holds one batch, which is cut after the event that makes it this long. */
const MAX_BATCH_CHARACTERS = 16_384;
const FRAME_CHARACTERS = 64;

interface Reading {
  readonly wanted: WantedFrames;
  readonly position: FramePosition;
}

/** Yields frames after the position, in batches, to `end`. A `gap` frame reports pruned or lost frames. */
export function readFrames(
  parts: RunFramesParts,
  { run: { runId, threadId, status, attempt, epochs }, repositories, signal }: RunReader,
  reading: Reading,
): AsyncGenerator<readonly NumberedFrame[], void, void> {
  const run = { runId, threadId, status, attempt, epochs };
  return framesFrom(parts, { run, repositories, signal }, reading);
}

async function* framesFrom(
  parts: RunFramesParts,
  reader: RunReader,
  { wanted, position: claimed }: Reading,
): AsyncGenerator<readonly NumberedFrame[], void, void> {
  let position: FramePosition | undefined = await positionInRun(parts.stream, reader, claimed);
  while (position !== undefined) position = yield* framesAfter(parts, reader, { wanted, position });
}

/** Yields frames to the end. If another log begins, returns the position after what is left of this one. */
async function* framesAfter(
  { stream, states }: RunFramesParts,
  reader: RunReader,
  { wanted, position }: Reading,
): AsyncGenerator<readonly NumberedFrame[], FramePosition | undefined, void> {
  const { runId } = reader.run;
  const contextOf = createFrameContexts(reader.run, wanted);
  const batches = stream.read({ ...reader, ...startOf(position, wanted) });
  let shownId = idAt(position);
  let isFirst = true;
  for await (const batch of unheard(batches, contextOf, placeBefore(position))) {
    const kept = batch[0]?.kept;
    if (kept !== undefined) {
      yield replacedFrames(runId, shownId, kept);
      return { seq: kept.seq, index: Number.POSITIVE_INFINITY, epoch: kept.epoch };
    }
    const gap = isFirst ? gapFrames(runId, position, batch) : [];
    isFirst = false;
    if (gap.length > 0) yield gap;
    for await (const frames of batchFrames(states, reader, { batch, contextOf, position })) {
      shownId = frames.at(-1)?.id ?? shownId;
      yield frames;
    }
  }
  return undefined;
}

/** The event at the position is read again: it may have no more frames, and the end must be recognised. */
function placeBefore({ seq }: FramePosition): number {
  return Math.max(0, seq - 1);
}

/** A reader in the middle of a message gets all of it again, including what was written before it came. */
function startOf(position: FramePosition, { modes }: WantedFrames): LogPlace {
  const { seq, epoch } = position;
  const after = modes.includes('messages') ? 0 : placeBefore(position);
  return epoch === undefined ? { after } : { after, seen: { seq, epoch } };
}

/** Yields the events after `until`. Earlier ones are only read for the messages that grow. */
async function* unheard(
  batches: AsyncIterable<readonly LoggedEvent[]>,
  contextOf: FrameContextOf,
  until: number,
): AsyncGenerator<readonly LoggedEvent[], void, void> {
  for await (const batch of batches) {
    const [first] = batch;
    const isShown = first !== undefined && (first.seq > until || first.kept !== undefined);
    const rest = isShown ? batch : batch.filter(({ seq }) => seq > until);
    for (const { event } of batch.slice(0, batch.length - rest.length)) {
      const piece = innerEvent(event);
      if (isPiece(piece)) contextOf(event)?.growing?.hear(piece);
    }
    if (rest.length > 0) yield rest;
  }
}

interface BatchToShow {
  readonly batch: readonly LoggedEvent[];
  readonly contextOf: FrameContextOf;
  readonly position: FramePosition;
}

async function* batchFrames(
  states: ThreadStates,
  reader: RunReader,
  { batch, contextOf, position }: BatchToShow,
): AsyncGenerator<readonly NumberedFrame[], void, void> {
  let frames: NumberedFrame[] = [];
  let characters = 0;
  for (const logged of batch) {
    if (characters >= MAX_BATCH_CHARACTERS) {
      yield frames;
      frames = [];
      characters = 0;
    }
    const { event } = logged;
    const context = contextOf(event);
    if (context === undefined) continue;
    const shown = needsState(logged, context) ? await shownState(states, reader, logged) : undefined;
    const shownFrames =
      event.type === 'subagent' ? subagentFrames(event, context, shown) : framesOf(event, context, shown);
    for (const frame of numbered(shownFrames, logged, position)) {
      characters += charactersOf(frame) - dropOlderPartial(frames, frame);
      frames.push(frame);
    }
  }
  if (frames.length > 0) yield frames;
}

function charactersOf({ data }: Frame): number {
  return data.length + FRAME_CHARACTERS;
}

/** Drops the older version of a message that grew while its reader was busy. Returns the saved characters. */
function dropOlderPartial(frames: NumberedFrame[], { partialOf }: Frame): number {
  if (partialOf === undefined) return 0;
  const place = frames.findLastIndex((frame) => frame.partialOf === partialOf);
  const [older] = place < 0 ? [] : frames.splice(place, 1);
  return older === undefined ? 0 : charactersOf(older);
}

/**
 * Returns the position if it names its epoch, or if the run's log has come so far; one that it never reached
 * says nothing about what was seen. The `end` of a run without a logged one is one position after the log, or
 * the second one when there is no log.
 */
async function positionInRun(
  stream: RunStream,
  reader: RunReader,
  position: FramePosition,
): Promise<FramePosition> {
  if (position.seq <= 1 || position.epoch !== undefined) return position;
  const isEndOfNothing = position.seq === 2 && isTerminal(reader.run.status);
  const isReached = isEndOfNothing || (await stream.reaches(reader, position.seq - 1));
  return isReached ? position : FROM_THE_START;
}

function needsState({ event, whole = false }: LoggedEvent, { modes }: FrameContext): boolean {
  return showsState(innerEvent(event), modes) || (whole && modes.has('messages-tuple'));
}

/** Frames after the position are pruned. The reader cannot know what it missed and must reload the state. */
function gapFrames(
  runId: string,
  position: FramePosition,
  [first]: readonly LoggedEvent[],
): readonly NumberedFrame[] {
  const { seq, index, epoch } = position;
  if (seq === 0 || first === undefined || first.seq <= seq) return [];
  const data = JSON.stringify({
    code: 'stream_gap',
    run_id: runId,
    requested_event_id: idAt(position),
    earliest_event_id: frameId(first.seq, 0, first.epoch),
    recovery: 'reload_state',
  });
  return [{ event: 'gap', data, id: frameId(seq, Number.isFinite(index) ? index : 0, epoch) }];
}

/**
 * Reports that what the reader was shown after `kept`, if anything, never happened. Its id leads here again.
 */
function replacedFrames(
  runId: string,
  shownId: string | undefined,
  { seq }: SeenPlace,
): readonly NumberedFrame[] {
  if (shownId === undefined) return [];
  const data = JSON.stringify({
    code: 'stream_replaced',
    run_id: runId,
    requested_event_id: shownId,
    kept_through: seq,
    recovery: 'reload_state',
  });
  return [{ event: 'gap', data, id: shownId }];
}

/** Returns the frames of one event that the reader has not seen, with their ids. */
function numbered(
  frames: readonly Frame[],
  { seq, epoch }: LoggedEvent,
  position: FramePosition,
): readonly NumberedFrame[] {
  const unseen = seq > position.seq ? 0 : position.index;
  return frames.map((frame, index) => ({ ...frame, id: frameId(seq, index, epoch) })).slice(unseen);
}

/** Returns the state of an event, for modes that show it; `undefined` if its thread was deleted. */
export async function shownState(
  states: ThreadStates,
  { run, repositories: { checkpoints } }: RunReader,
  { event, delta, whole = false }: LoggedEvent,
): Promise<ShownState | undefined> {
  const written = innerEvent(event);
  if (!('checkpointId' in written) || written.checkpointId === undefined) return undefined;
  const folded = await states.at(checkpoints, run.threadId, written.checkpointId);
  if (folded === undefined) return undefined;
  if (written.type !== 'state') return { state: folded.state, delta: NO_CHANGE, whole };
  if (delta !== undefined) return { state: folded.state, delta, whole };
  const text = await checkpoints.delta(run.threadId, written.checkpointId);
  return text === undefined ? undefined : { state: folded.state, delta: parsedDelta(text), whole };
}
