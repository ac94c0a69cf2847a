// Ends runs that go round in circles: the model is warned once of each circle, then the run ends with a sentence.
import { z } from 'zod';
import type { JsonObject, Message } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import type { Emit } from '../agent-event.ts';
import type { LoopOptions } from '../agent-options.ts';
import { NOT_MADE, type Repetition, repetitionIn } from '../loops/repetition.ts';
import type { HookEffect, Middleware } from '../middleware.ts';
import { systemReminder } from '../notices.ts';

/** The field of the state that says after which messages the model was warned, oldest first. */
const FIELD = 'loop_warnings';
/** Of older ones the prompt says nothing any more. */
const MOST_WARNINGS = 20;

const marksSchema = z.array(z.object({ message_id: z.string(), tools: z.array(z.string()) }));
type Mark = z.output<typeof marksSchema>[number];

/** Everything is known from the state, so that a run that is taken up goes on as it was. */
export function createLoopsMiddleware(options: LoopOptions): Middleware {
  const { warn_after: warnAfter, stop_after: stopAfter } = options;
  return {
    name: 'loops',
    shapeRequest: (request, { values }) => ({
      ...request,
      messages: withWarnings(request.messages, marksIn(values)),
    }),
    async beforeModel({ state }, emit) {
      const repetition = repetitionIn(state.messages, stopAfter);
      if (repetition === undefined || repetition.count < warnAfter) return undefined;
      if (repetition.count >= stopAfter)
        return { stop: { kind: 'loop_detected', message: stopSentence(repetition) } };
      return warning(state, repetition, emit);
    },
    async reviewTools(calls, { state }) {
      const repetition = repetitionIn(state.messages, stopAfter);
      if (repetition === undefined || repetition.count < stopAfter) return { calls, refused: [] };
      return { calls: [], refused: calls.map((call) => ({ call, message: refusal(repetition) })) };
    },
  };
}

/** The model is warned of a circle that it was not warned of since it began. */
async function warning(
  { messages, values }: ThreadState,
  repetition: Repetition,
  emit: Emit,
): Promise<HookEffect | undefined> {
  const last = messages.at(-1);
  const marks = marksIn(values);
  if (last === undefined || isWarned(messages, marks, repetition)) return undefined;
  const mark: Mark = { message_id: last.id, tools: [...repetition.toolNames] };
  const changes = { [FIELD]: [...marks, mark].slice(-MOST_WARNINGS) };
  const content = { name: 'loops', hook: 'before_model', action: 'warn', changes };
  await emit({ type: 'middleware', tag: 'loops', content, metadata: {} });
  return { delta: { messages: [], values: changes } };
}

function isWarned(
  messages: readonly Message[],
  marks: readonly Mark[],
  { firstMessageId }: Repetition,
): boolean {
  const begin = messages.findLastIndex(({ id }) => id === firstMessageId);
  const repeating = messages.slice(begin);
  return marks.some((mark) => repeating.some(({ id }) => id === mark.message_id));
}

function marksIn(values: JsonObject): readonly Mark[] {
  const stored = values[FIELD];
  return stored === undefined ? [] : (marksSchema.safeParse(stored).data ?? []);
}

const made = new WeakMap<Message, Message>();

/** Each where it was said, so that the prompt goes on as it began. */
function withWarnings(messages: readonly Message[], marks: readonly Mark[]): readonly Message[] {
  if (marks.length === 0) return messages;
  const byId = new Map(marks.map((mark) => [mark.message_id, mark]));
  return messages.flatMap((message) => {
    const mark = byId.get(message.id);
    if (mark === undefined) return [message];
    // The same object each time, so that what was sent of it is known.
    const said = made.get(message) ?? systemReminder(message, 'loops', warningText(mark));
    made.set(message, said);
    return [message, said];
  });
}

function warningText({ tools }: Mark): string {
  return (
    `You are repeating calls of ${tools.join(', ')} with the same arguments, and do not get further. ` +
    'Do not make them again as they are. Use what you know already, try another way, or tell the person what you have ' +
    'and what is missing. If you go on repeating them, the run is ended. Do not mention this reminder.'
  );
}

function refusal({ toolNames }: Repetition): string {
  return `${NOT_MADE} Calls of ${toolNames.join(', ')} were repeated with the same arguments and led nowhere.`;
}

function stopSentence({ toolNames, count }: Repetition): string {
  return `The run was ended because the agent was going round in circles: it repeated the same calls (${toolNames.join(', ')}) ${count} times, although it was warned. What it did until then is kept. Send another message that says what to do differently.`;
}
