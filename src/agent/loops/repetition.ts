// Detects agents that repeat the same calls over and over, alone or in rounds of two or three. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { AiMessage, JsonObject, Message, ToolCall, ToolMessage } from '../../messages/message.ts';
import { OWN_TOOL_NAMES } from '../../tools/own-tool-names.ts';

export interface Repetition {
  /** How often the newest round was made, including itself. Four times with changing results count as one. */
  readonly count: number;
  /** The message with which the repeating rounds begin. */
  readonly firstMessageId: string;
  readonly toolNames: readonly string[];
}

/** The beginning of the result of a call that was refused because it repeats. */
export const NOT_MADE = 'Error: this call was not made, because the run goes round in circles.';

/** The most steps in a round. */
const LONGEST_ROUND = 3;
/** A call whose results change may be waiting for something. */
const ROUNDS_OF_CHANGE = 4;

/** One message with calls, and their results. The newest may have no results yet. */
interface Step {
  readonly reply: AiMessage;
  readonly results: readonly ToolMessage[];
}

/** Returns how the newest steps repeat, up to `most` rounds; `undefined` if the newest has no calls. */
export function repetitionIn(messages: readonly Message[], most: number): Repetition | undefined {
  const steps: Step[] = [];
  const rounds = Array.from({ length: LONGEST_ROUND }, (_, index) => new Round(index + 1));
  const longest = most * ROUNDS_OF_CHANGE * LONGEST_ROUND;
  for (const step of stepsBack(messages)) {
    steps.push(step);
    for (const round of rounds) round.check(steps);
    if (steps.length >= longest || rounds.every(({ isOver }) => isOver)) break;
  }
  return rounds.map((round) => round.repetition(steps)).reduce(stronger, undefined);
}

function stronger(a: Repetition | undefined, b: Repetition | undefined): Repetition | undefined {
  return a === undefined || (b !== undefined && b.count > a.count) ? b : a;
}

/** Counts how far back each step repeats the one `length` steps newer. */
class Round {
  readonly #length: number;
  #matches = 0;
  #isOver = false;
  #isUnchanged = true;

  constructor(length: number) {
    this.#length = length;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  check(steps: readonly Step[]): void {
    const [older, newer] = [steps.at(-1), steps.at(-1 - this.#length)];
    if (this.#isOver || older === undefined || newer === undefined) return;
    this.#isOver = !hasSameCalls(older.reply, newer.reply);
    if (this.#isOver) return;
    this.#matches += 1;
    this.#isUnchanged &&= !hasRun(newer) || hasSameResults(older, newer);
  }

  repetition(steps: readonly Step[]): Repetition | undefined {
    const times = Math.floor(this.#matches / this.#length) + 1;
    const first = steps[times * this.#length - 1];
    if (first === undefined) return undefined;
    const names = steps.slice(0, this.#length).flatMap(({ reply }) => reply.tool_calls.map((it) => it.name));
    return {
      count: this.#isUnchanged ? times : Math.max(1, Math.floor(times / ROUNDS_OF_CHANGE)),
      firstMessageId: first.reply.id,
      toolNames: [...new Set(names)],
    };
  }
}

/** Yields steps, newest first, back to a message of anyone else or a reply without calls. */
function* stepsBack(messages: readonly Message[]): Generator<Step, void, void> {
  let results: ToolMessage[] = [];
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.type === 'tool') {
      results.push(message);
      continue;
    }
    if (message?.type !== 'ai' || message.tool_calls.length === 0) return;
    yield { reply: message, results };
    results = [];
  }
}

function hasSameCalls(a: AiMessage, b: AiMessage): boolean {
  return (
    a.tool_calls.length === b.tool_calls.length &&
    a.tool_calls.every((call, index) => isSameCall(call, b.tool_calls[index]))
  );
}

function isSameCall(a: ToolCall, b: ToolCall | undefined): boolean {
  return a.name === b?.name && isDeepStrictEqual(meant(a), meant(b));
}

/** Omits the description for people that the service's own tools take, because it changes nothing. */
function meant({ name, args }: ToolCall): JsonObject {
  if (!OWN_TOOL_NAMES.has(name)) return args;
  const { description: _, ...others } = args;
  return others;
}

/** Whether any call was made. Calls that wait or were refused do not show whether anything changes. */
function hasRun({ results }: Step): boolean {
  return results.some(({ content }) => typeof content !== 'string' || !content.startsWith(NOT_MADE));
}

function hasSameResults(a: Step, b: Step): boolean {
  return (
    a.results.length === b.results.length &&
    a.results.every((result, index) => isDeepStrictEqual(result.content, b.results[index]?.content))
  );
}
