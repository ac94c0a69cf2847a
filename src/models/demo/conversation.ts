// What the demo model sees of a thread: the person's newest message, earlier ones, and the results of tools.
import {
  type AiMessage,
  type HumanMessage,
  type Message,
  type ToolMessage,
  textOf,
} from '../../messages/message.ts';

export interface Conversation {
  /** The person's newest message; empty when there is none yet. */
  readonly said: string;
  readonly saidId: string;
  /** The person's earlier messages, oldest first. */
  readonly earlier: readonly string[];
  /** Results of the tools called since the person's newest message, in the order of the calls. */
  readonly results: readonly ToolResult[];
  /** The question that the newest message answers, if the agent asked one. */
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

// Messages that the service adds for the model have this flag; the person did not write them.
function isFromPerson(message: Message): message is HumanMessage {
  return message.type === 'human' && message.additional_kwargs.hide_from_ui !== true;
}

function wordsOf(message: HumanMessage): string {
  const original = message.additional_kwargs.original_user_content;
  const text = textOf(message.content);
  const words = (typeof original === 'string' ? original : text).trim();
  // Fixed rules follow no skill, but they can do what the person wants done with it.
  return text.includes('<active_skill>') ? words.replace(/^\/\S+\s+/, '') : words;
}

/** Sorts by call: a call that waited for the person has its result after the others. */
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
