// Decides when the agent is reminded of its plan, and in which words. Pure.
import { z } from 'zod';
import type { HumanMessage, JsonObject, Message } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import { openTodos, type Todo, todosIn, WRITE_TODOS } from '../../tools/write-todos.ts';
import { isFromPerson } from '../compaction/thread-view.ts';
import { systemReminder } from '../notices.ts';

/** Steps with other tools after which an agent is reminded of its plan, and again after as many more. */
const IDLE_STEPS = 8;

/** Returns a reminder, if one is due: when the prompt no longer shows the plan, or after idle steps. */
export function dueReminder({ values }: ThreadState, shown: readonly Message[]): HumanMessage | undefined {
  const todos = todosIn(values);
  const last = shown.at(-1);
  if (last === undefined || openTodos(todos).length === 0) return undefined;
  const written = lastWritten(shown);
  if (written === undefined || !isSame(todosIn(written.args), todos))
    return reminder(last, `Your plan at present:\n${listed(todos)}\n${KEEP}`);
  const steps = stepsAfter(shown, written.index);
  if (steps === 0 || steps % IDLE_STEPS !== 0) return undefined;
  return reminder(last, `You have worked for ${steps} steps without changing your plan. ${KEEP}`);
}

const KEEP = 'Continue, and keep the plan current with write_todos. Do not mention this reminder.';

interface Written {
  readonly args: JsonObject;
  readonly index: number;
}

function lastWritten(messages: readonly Message[]): Written | undefined {
  const index = messages.findLastIndex(
    (it) => it.type === 'tool' && it.name === WRITE_TODOS && it.status === 'success',
  );
  const written = messages[index];
  if (written?.type !== 'tool') return undefined;
  const callIn = (it: Message) =>
    it.type === 'ai' ? it.tool_calls.find(({ id }) => id === written.tool_call_id) : undefined;
  const calling = messages.slice(0, index).findLast((it) => callIn(it) !== undefined);
  const call = calling && callIn(calling);
  return call && { args: call.args, index };
}

function isSame(a: readonly Todo[], b: readonly Todo[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ content, status }, index) => content === b[index]?.content && status === b[index]?.status)
  );
}

function stepsAfter(messages: readonly Message[], index: number): number {
  const from = Math.max(index, messages.findLastIndex(isFromPerson));
  return messages.slice(from + 1).filter((it) => it.type === 'ai' && it.tool_calls.length > 0).length;
}

function listed(todos: readonly Todo[]): string {
  return todos.map(({ content, status }) => `- [${status}] ${content.replace(/\s+/g, ' ')}`).join('\n');
}

function reminder(after: Message, text: string): HumanMessage {
  return systemReminder(after, 'plan', text);
}

/** The field of the state with the reply after which the agent was asked again for its unfinished plan. */
const FIELD = 'plan_reminder';

const markSchema = z.object({
  /** The message of the person that was being answered. */
  question_id: z.string(),
  /** The reply that was to be the last one. */
  message_id: z.string(),
});

/** Returns the state change that asks an agent with an open plan again, once per question. */
export function askedAgain({ messages, values }: ThreadState): JsonObject | undefined {
  const reply = messages.at(-1);
  if (reply?.type !== 'ai' || reply.tool_calls.length > 0) return undefined;
  if (reply.response_metadata.finish_reason !== 'stop') return undefined;
  if (openTodos(todosIn(values)).length === 0) return undefined;
  const question_id = messages.findLast(isFromPerson)?.id ?? '';
  if (markSchema.safeParse(values[FIELD]).data?.question_id === question_id) return undefined;
  return { [FIELD]: { question_id, message_id: reply.id } };
}

/** Returns the messages with the reminder after the reply at which the agent was asked again. */
export function withEndReminder(messages: readonly Message[], values: JsonObject): readonly Message[] {
  const mark = markSchema.safeParse(values[FIELD]).data;
  if (mark === undefined) return messages;
  const index = messages.findLastIndex(({ id }) => id === mark.message_id);
  const reply = messages[index];
  if (reply?.type !== 'ai') return messages;
  return messages.toSpliced(index + 1, 0, reminder(reply, UNFINISHED));
}

const UNFINISHED =
  'You were about to end, and your plan has items that are not completed. Go on with those that are still to be done. ' +
  'Mark with write_todos what is done, and take out what is not needed any more. Where you cannot go on or wait for the ' +
  'person, end with one sentence that says so. Do not repeat what you have said, and do not mention this reminder.';
