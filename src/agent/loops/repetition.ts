// Whether an agent goes round in circles: the same calls again and again, alone or in rounds of two or three. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { AiMessage, JsonObject, Message, ToolCall, ToolMessage } from '../../messages/message.ts';
import { OWN_TOOL_NAMES } from '../../tools/own-tool-names.ts';

export interface Repetition {
  /** How often the newest round was made, itself included. Where its results change, four times count as one. */
  readonly count: number;
  /** The answer with which the repeating rounds begin. */
  readonly firstMessageId: string;
  /** The tools of one round. */
  readonly toolNames: readonly string[];
}

/** How the result of a call begins that was not made because it repeats. */
export const NOT_MADE = 'Error: this call was not made, because the run goes round in circles.';

/** Answers of a round. */
const LONGEST_ROUND = 3;
/** A call whose results change may be waiting for something. */
const ROUNDS_OF_CHANGE = 4;

/** One answer with calls, and what came of them; no results yet when it is the newest. */
interface Step {
  readonly reply: AiMessage;
  readonly results: readonly ToolMessage[];
}

/**
 * How the newest answers repeat, since the last words of anybody else. Looks back as long as they do, and counts to
 * `most` rounds; `undefined` when the newest answer made no calls.
 */
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

/** How far back the steps repeat those that are `length` steps newer. */
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

/** Newest first, up to words of anybody else or an answer without calls. */
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

/** The service's own tools take a description for people, which changes nothing. */
function meant({ name, args }: ToolCall): JsonObject {
  if (!OWN_TOOL_NAMES.has(name)) return args;
  const { description: _, ...others } = args;
  return others;
}

/** Calls that wait, or were refused because they repeat, say nothing of whether anything changes. */
function hasRun({ results }: Step): boolean {
  return results.some(({ content }) => typeof content !== 'string' || !content.startsWith(NOT_MADE));
}

function hasSameResults(a: Step, b: Step): boolean {
  return (
    a.results.length === b.results.length &&
    a.results.every((result, index) => isDeepStrictEqual(result.content, b.results[index]?.content))
  );
}
