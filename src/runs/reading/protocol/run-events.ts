// The events of one run for one reader, numbered within its thread.
import type { RunRecord } from '../../../storage/runs.ts';
import type { ThreadStates } from '../../../storage/thread-states.ts';
import { innerEvent, type LoggedEvent } from '../../log/log-event.ts';
import { shownState } from '../run-frames.ts';
import type { RunReader, RunStream } from '../run-stream.ts';
import { answeredInterrupts } from './agent-renderer.ts';
import { EventNumbers } from './event-numbers.ts';
import type { NumberedEvent, ProtocolEvent } from './protocol-event.ts';
import { RunRenderer } from './run-renderer.ts';

export interface RunEventsParts {
  readonly stream: RunStream;
  readonly states: ThreadStates;
}

/** A reader of a run that was claimed or has ended. */
export type RunEventsReader = RunReader & { readonly run: RunRecord };

/** Yields events live to the end or the signal's abort, and from the first again if shown ones are lost. */
export async function* readRunEvents(
  parts: RunEventsParts,
  reader: RunEventsReader,
): AsyncGenerator<readonly NumberedEvent[], void, void> {
  while (yield* readOnce(parts, reader));
}

/** Returns `true` when shown events are lost and the reader was notified. */
async function* readOnce(
  parts: RunEventsParts,
  reader: RunEventsReader,
): AsyncGenerator<readonly NumberedEvent[], boolean, void> {
  const { repositories, run } = reader;
  const numbers = new EventNumbers(run);
  const renderer = new RunRenderer(run);
  let hasState = false;
  /** Gives the renderer what it cannot know: states, and the questions of earlier runs. */
  const rendered = async (logged: LoggedEvent): Promise<readonly ProtocolEvent[]> => {
    if (innerEvent(logged.event).type !== 'state') return renderer.render(logged.event, undefined);
    const shown = await shownState(parts.states, reader, logged);
    const isFirst = !hasState && logged.event.type === 'state';
    const answered = isFirst ? await answeredInterrupts(repositories, run, logged) : [];
    hasState ||= isFirst;
    return renderer.render(logged.event, shown, answered);
  };
  for await (const batch of parts.stream.read({ ...reader, after: 0 })) {
    const [first] = batch;
    if (first?.kept !== undefined) {
      yield [numbers.replaced(first.epoch)];
      return true;
    }
    const events: NumberedEvent[] = [];
    for (const logged of batch) events.push(...numbers.number(logged, await rendered(logged)));
    if (events.length > 0) yield events;
  }
  return false;
}
