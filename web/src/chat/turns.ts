// Groups the messages of a thread into turns: what the person said, and all that the agent did about it.
import {
  type AiView,
  type HumanView,
  type MessageView,
  readMessage,
  type ToolResultView,
} from './message-view.ts';

export interface Turn {
  readonly id: string;
  readonly human: HumanView | undefined;
  readonly steps: readonly AiView[];
  /** By the id of the call. */
  readonly results: ReadonlyMap<string, ToolResultView>;
}

/**
 * Reads message lists. A message object that was read before is not read again, and a turn in which nothing changed
 * stays the same object, so that a long chat is not rendered anew with every word.
 */
export function createTurnReader(): (messages: readonly unknown[]) => readonly Turn[] {
  const known = new WeakMap<object, MessageView>();
  let before: readonly Turn[] = [];
  return (messages) => {
    const turns = toTurns(messages.map((message, position) => readOnce(known, message, position)));
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

function readOnce(
  known: WeakMap<object, MessageView>,
  message: unknown,
  position: number,
): MessageView | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const view = known.get(message) ?? readMessage(message, position);
  if (view !== undefined) known.set(message, view);
  return view;
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
