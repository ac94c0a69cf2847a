// What the demo model sees of a thread: what the person says now, what was said before, what the tools answered.
import {
  type AiMessage,
  type HumanMessage,
  type Message,
  type ToolMessage,
  textOf,
} from '../../messages/message.ts';

export interface Conversation {
  /** The person's latest words; empty when nobody said anything yet. */
  readonly said: string;
  /** The message id they came with. */
  readonly saidId: string;
  /** What the person said earlier, oldest first. */
  readonly earlier: readonly string[];
  /** Results of the tools called since the person's latest words, in the order of the calls. */
  readonly results: readonly ToolResult[];
  /** The question that the latest words answer, when the agent had asked one. */
  readonly openQuestion: string | undefined;
}

export interface ToolResult {
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

export function readConversation(messages: readonly Message[]): Conversation {
  const people = messages.filter(isFromPerson);
  const last = people.at(-1);
  const turn = last === undefined ? messages : messages.slice(messages.indexOf(last) + 1);
  return {
    said: last === undefined ? '' : wordsOf(last),
    saidId: last?.id ?? '',
    earlier: people.slice(0, -1).map(wordsOf),
    results: inOrderOfCalls(turn).map(toResult),
    openQuestion: last === undefined ? undefined : questionBefore(messages, last),
  };
}

// Messages that the framework adds for the model carry this flag; the person never wrote them.
function isFromPerson(message: Message): message is HumanMessage {
  return message.type === 'human' && message.additional_kwargs.hide_from_ui !== true;
}

function wordsOf(message: HumanMessage): string {
  const original = message.additional_kwargs.original_user_content;
  const text = textOf(message.content);
  const words = (typeof original === 'string' ? original : text).trim();
  // Rules follow no instructions, but what the person wants done with the skill they can do.
  return text.includes('<active_skill>') ? words.replace(/^\/\S+\s+/, '') : words;
}

/** A call that had to wait for the person has its result behind those that had not. */
function inOrderOfCalls(turn: readonly Message[]): readonly ToolMessage[] {
  const results = turn.filter((message) => message.type === 'tool');
  const calls = turn.flatMap((message) =>
    message.type === 'ai' ? message.tool_calls.map(({ id }) => id) : [],
  );
  const placeOf = ({ tool_call_id: id }: ToolMessage) => calls.indexOf(id);
  return results.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function toResult(message: ToolMessage): ToolResult {
  return {
    tool: message.name ?? 'the tool',
    text: textOf(message.content),
    failed: message.status === 'error',
  };
}

function questionBefore(messages: readonly Message[], human: HumanMessage): string | undefined {
  const before = messages.slice(0, messages.indexOf(human));
  const asking = before.findLast((message): message is AiMessage => message.type === 'ai');
  const call = asking?.tool_calls.find((it) => it.name === 'ask_clarification');
  const question = call?.args.question;
  const isOpen =
    asking !== undefined && before.slice(before.indexOf(asking) + 1).every((it) => it.type === 'tool');
  return isOpen && typeof question === 'string' ? question : undefined;
}
