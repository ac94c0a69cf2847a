// Ends runs that go round in circles: the model is warned once per circle, then the run ends with a sentence.
import { z } from 'zod';
import type { JsonObject, Message } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import type { Emit } from '../agent-event.ts';
import type { LoopOptions } from '../agent-options.ts';
import { NOT_MADE, type Repetition, repetitionIn } from '../loops/repetition.ts';
import { type HookEffect, type Middleware, refusing } from '../middleware.ts';
import { systemReminder } from '../notices.ts';

/** The field of the state that lists after which messages the model was warned, oldest first. */
const FIELD = 'loop_warnings';
/** The prompt does not mention older warnings. */
const MOST_WARNINGS = 20;

const marksSchema = z.array(z.object({ message_id: z.string(), tools: z.array(z.string()) }));
type Mark = z.output<typeof marksSchema>[number];

/** Everything is known from the state, so a run that is taken over continues as before. */
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
      return refusing(calls, () => refusal(repetition));
    },
  };
}

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
  await emit({ type: 'middleware', tag: 'loops', content });
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

/** Puts each warning where it was first given, so that the beginning of the prompt does not change. */
function withWarnings(messages: readonly Message[], marks: readonly Mark[]): readonly Message[] {
  if (marks.length === 0) return messages;
  const byId = new Map(marks.map((mark) => [mark.message_id, mark]));
  return messages.flatMap((message) => {
    const mark = byId.get(message.id);
    return mark === undefined ? [message] : [message, systemReminder(message, 'loops', warningText(mark))];
  });
}

function warningText({ tools }: Mark): string {
  return (
    `You are repeating calls of ${tools.join(', ')} with the same arguments and making no progress. ` +
    'Do not repeat them unchanged. Use what you already know, try another way, or tell the person what you have ' +
    'and what is missing. If you keep repeating them, the run ends. Do not mention this reminder.'
  );
}

function refusal({ toolNames }: Repetition): string {
  return `${NOT_MADE} Calls of ${toolNames.join(', ')} were repeated with the same arguments and made no progress.`;
}

function stopSentence({ toolNames, count }: Repetition): string {
  return `The run was ended because the agent was going round in circles: it repeated the same calls (${toolNames.join(', ')}) ${count} times despite a warning. Its work so far is kept. Send another message that says what to do differently.`;
}
