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

/** Reads message lists; a message object that was read before is not read again. */
export function createTurnReader(): (messages: readonly unknown[]) => readonly Turn[] {
  const known = new WeakMap<object, MessageView>();
  return (messages) => toTurns(messages.map((message, position) => readOnce(known, message, position)));
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
