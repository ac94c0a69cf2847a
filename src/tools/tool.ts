// A tool: what the model can call. Its arguments are checked before it runs.
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Interrupt } from '../messages/interrupt.ts';
import type { Json, JsonObject, MessageContent } from '../messages/message.ts';
import type { ToolSpec } from '../models/model.ts';
import type { KnownVersions } from '../workspace/known-versions.ts';

/** How a tool may be repeated after a crash: run again freely, run again with the same call id, or never. */
export type ToolEffect = 'read' | 'idempotent' | 'once';

export interface ToolContext {
  /** The user who started the run. The tool works with this user's files and rights. */
  readonly userId: string;
  readonly threadId: string;
  readonly runId: string;
  /** Stable over attempts: the key under which an `idempotent` tool may be run again. */
  readonly callId: string;
  /** Whether the calling model can be shown images. */
  readonly seesImages: boolean;
  /** What the agent has read and written in this thread. */
  readonly knownFiles: KnownVersions;
  /** Characters that the result may add to the prompt. A longer one is cut, and says where the rest is. */
  readonly maxCharacters: number;
  /** Aborted when the run is cancelled; the tool stops within a second. */
  readonly signal: AbortSignal;
  /** Shows progress to clients that stream the run with `custom`. */
  readonly emit: (data: Json) => void;
  /**
   * Asks the person and returns the answer. The first time it throws, which must not be caught: the run
   * stops, and after the person has answered, the tool is run again up to this place. So ask before any
   * effect. `about` is for questions that may differ the next time: an answer counts only for a question
   * about the same.
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

/** A task of a sub-agent that continues after the run. It begins once the result of its call is durable. */
export interface BackgroundWork {
  readonly taskId: string;
  /** The thread on which it works. */
  readonly threadId: string;
  /** The kind of sub-agent. */
  readonly subagent: string;
  readonly description: string;
  readonly prompt: string;
}

/** What a tool returns: the text for the model, and what the call changed in the thread's state. */
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
  /** Checks the arguments. `problem` is a sentence for the model that explains what is wrong. */
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
  /**
   * Problems that the model should read are a `failure`, or a `ServiceError` that it throws. Any other error
   * is reported as a failed tool.
   */
  readonly run: (input: z.output<Schema>, context: ToolContext) => Promise<ToolOutcome>;
}

/** Makes a tool from a schema and a function. The model is shown the same schema. */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, input, effect, run } = definition;
  return {
    name,
    description,
    effect,
    inputSchema: inputSchemaOf(input),
    parse: (args) => {
      const parsed = input.safeParse(args);
      if (!parsed.success) return { ok: false, problem: z.prettifyError(parsed.error) };
      return { ok: true, run: (context) => describingErrors(() => run(parsed.data, context)) };
    },
  };
}

/** The first argument of tools that work with files. People see it while the call runs. */
export const reason = z
  .string()
  .optional()
  .describe('Why you make this call, in a few words. Always give it, and first.');

/** Returns the JSON Schema that models are shown for the arguments. */
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

/** Turns a `ServiceError` into a `failure` that begins with `Error: `. Throws any other error. */
async function describingErrors(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return failure(`Error: ${error.detail}`);
    throw error;
  }
}
