// A tool: what the model may call, with its arguments checked before it runs.
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Interrupt } from '../messages/interrupt.ts';
import type { Json, JsonObject, MessageContent } from '../messages/message.ts';
import type { ToolSpec } from '../models/model.ts';
import type { KnownVersions } from '../workspace/known-versions.ts';

/** How a tool may be repeated after a crash: run again freely, run again with the same call id, or never. */
export type ToolEffect = 'read' | 'idempotent' | 'once';

export interface ToolContext {
  /** Who started the run; the tool works with this user's files and rights. */
  readonly userId: string;
  readonly threadId: string;
  readonly runId: string;
  /** Stable over attempts: the key under which an `idempotent` tool may be run again. */
  readonly callId: string;
  /** Whether the model that called can be shown images. */
  readonly seesImages: boolean;
  /** What the agent has read and written in this thread. */
  readonly knownFiles: KnownVersions;
  /** What the result may add to the prompt, in characters. What is longer shows a part, and says where the rest is. */
  readonly maxCharacters: number;
  /** Aborted when the run is cancelled; the tool stops within a second. */
  readonly signal: AbortSignal;
  /** Shows progress to whoever streams the run with `custom`. */
  readonly emit: (data: Json) => void;
  /**
   * Asks the person and answers what they said. The first time it throws, which must not be caught: the run stops,
   * and when the person has answered the tool is called anew, up to this place. So ask before any effect. `about` is
   * for questions that may be others the next time: an answer is given to a question about the same alone.
   */
  readonly interrupt: (value: Json, about?: string) => Json;
}

/** Thrown by `interrupt`: stops the step until the person has answered. */
export class RunInterrupt extends Error {
  override readonly name = 'RunInterrupt';
  readonly interrupts: readonly Interrupt[];

  constructor(interrupts: readonly Interrupt[]) {
    super('the run waits for the person');
    this.interrupts = interrupts;
  }
}

/** A task of a sub-agent that a call begins and that goes on behind the run. It is begun once the result is durable. */
export interface BackgroundWork {
  readonly taskId: string;
  /** The thread that it works on. */
  readonly threadId: string;
  /** The kind of sub-agent. */
  readonly subagent: string;
  readonly description: string;
  readonly prompt: string;
}

/** What a tool answers: the text for the model, and what the call changed in the thread's state. */
export type ToolOutcome =
  | {
      readonly kind: 'result';
      readonly content: MessageContent;
      readonly artifact?: Json;
      readonly values?: JsonObject;
      readonly begins?: BackgroundWork;
    }
  | { readonly kind: 'failure'; readonly message: string; readonly artifact?: Json }
  /** Ends the run after this step as `interrupted`, waiting for the person's next message. */
  | { readonly kind: 'question'; readonly content: string; readonly artifact: Json };

export interface Tool extends ToolSpec {
  readonly effect: ToolEffect;
  /** Checks the arguments. A failure is a sentence for the model that says what is wrong. */
  parse(args: JsonObject): ParsedArguments;
}

type ParsedArguments =
  | { readonly ok: true; readonly run: (context: ToolContext) => Promise<ToolOutcome> }
  | { readonly ok: false; readonly problem: string };

interface ToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly effect: ToolEffect;
  /** What goes wrong for the model to read is a `failure`; what throws is reported as a failed tool. */
  readonly run: (input: z.output<Schema>, context: ToolContext) => Promise<ToolOutcome>;
}

/** Makes a tool from a schema and a function; the schema is also what the model is shown. */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, input, effect, run } = definition;
  return {
    name,
    description,
    effect,
    inputSchema: inputSchemaOf(input),
    parse: (args) => {
      const parsed = input.safeParse(args);
      if (parsed.success) return { ok: true, run: (context) => run(parsed.data, context) };
      return { ok: false, problem: z.prettifyError(parsed.error) };
    },
  };
}

/** The JSON Schema that models are shown for the arguments. */
export function inputSchemaOf(input: z.ZodObject): JsonObject {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return JSON.parse(JSON.stringify(inputSchema));
}

export function result(content: MessageContent, values?: JsonObject): ToolOutcome {
  return values === undefined ? { kind: 'result', content } : { kind: 'result', content, values };
}

export function failure(message: string, artifact?: Json): ToolOutcome {
  return artifact === undefined ? { kind: 'failure', message } : { kind: 'failure', message, artifact };
}

/** Turns a `ServiceError` into a `failure` that begins with `Error: `; anything else is a failed tool. */
export async function describingErrors(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return failure(`Error: ${error.detail}`);
    throw error;
  }
}
