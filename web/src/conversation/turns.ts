// Groups the messages of a thread into turns: the message of the person, and everything that the agent did in
// response.
import {
  type AiView,
  type HumanView,
  type MessageView,
  readMessage,
  type ToolResultView,
} from './message-view.ts';
import { keyOf } from './subagents.ts';

export interface Turn {
  readonly id: string;
  readonly human: HumanView | undefined;
  readonly steps: readonly AiView[];
  /** Keyed by the id of the call. */
  readonly results: ReadonlyMap<string, ToolResultView>;
  /** Set while a restarted service repeats what is already shown. */
  readonly isWrittenAnew?: true;
}

export function hasMessage({ human, steps }: Turn, messageId: string): boolean {
  return messageId !== '' && (human?.id === messageId || steps.some(({ id }) => id === messageId));
}

/**
 * Creates a reader of message lists. It parses each message object once, and an equal message or an unchanged
 * turn keeps its identity. A long chat does not render again with every word or every state that arrives.
 */
export function createTurnReader(): (messages: readonly unknown[]) => readonly Turn[] {
  const known = new WeakMap<object, MessageView>();
  const byKey = new Map<string, MessageView>();
  let before: readonly Turn[] = [];
  return (messages) => {
    const turns = toTurns(messages.map((message, position) => readOnce({ known, byKey }, message, position)));
    before = turns.map((turn, index) => {
      const last = before[index];
      return last !== undefined && isSameTurn(last, turn) ? last : turn;
    });
    return before;
  };
}

function isSameTurn(a: Turn, b: Turn): boolean {
  return (
    a.id === b.id &&
    a.human === b.human &&
    a.steps.length === b.steps.length &&
    a.results.size === b.results.size &&
    a.steps.every((step, index) => step === b.steps[index]) &&
    [...a.results].every(([callId, result]) => b.results.get(callId) === result)
  );
}

interface ReadMessages {
  readonly known: WeakMap<object, MessageView>;
  readonly byKey: Map<string, MessageView>;
}

function readOnce(
  { known, byKey }: ReadMessages,
  message: unknown,
  position: number,
): MessageView | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const before = known.get(message);
  if (before !== undefined) return before;
  const read = readMessage(message, position);
  if (read === undefined) return undefined;
  const key = keyOf(read);
  const last = byKey.get(key);
  const view = last !== undefined && isEqual(last, read) ? last : read;
  known.set(message, view);
  byKey.set(key, view);
  return view;
}

/** Whether two JSON values are equal. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const entries = Object.entries(a);
  const others = new Map(Object.entries(b));
  return (
    entries.length === others.size &&
    entries.every(([name, value]) => others.has(name) && isEqual(value, others.get(name)))
  );
}

interface OpenTurn {
  readonly id: string;
  readonly human: HumanView | undefined;
  readonly steps: AiView[];
  readonly results: Map<string, ToolResultView>;
}

function toTurns(views: readonly (MessageView | undefined)[]): readonly Turn[] {
  const turns: OpenTurn[] = [];
  for (const view of views) {
    if (view === undefined) continue;
    if (view.kind === 'human') {
      turns.push(openTurn(view.id, view));
      continue;
    }
    const turn = turns.at(-1) ?? openTurn('start', undefined);
    if (turns.length === 0) turns.push(turn);
    if (view.kind === 'ai') turn.steps.push(view);
    else turn.results.set(view.callId, view);
  }
  return turns;
}

function openTurn(id: string, human: HumanView | undefined): OpenTurn {
  return { id, human, steps: [], results: new Map() };
}
