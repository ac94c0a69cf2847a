// A connection to one tool server for one user: requests with limits, and the server's questions.
import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import { failureOf } from './failure-of.ts';

export interface Asked {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

export interface RequestLimits {
  readonly signal: AbortSignal;
  /** How long the server may be silent, in milliseconds. */
  readonly timeoutMs: number;
}

export interface CallParts extends RequestLimits {
  readonly onProgress: (progress: Progress) => void;
  /** Asks the person. What it throws ends the call, which rejects with it. */
  readonly elicit: (asked: Elicitation) => ElicitationAnswer;
}

export interface Progress {
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

interface ConnectionParts {
  readonly client: Client;
  readonly server: ToolServer;
  /** Resolves with a clause when the server's program has ended. */
  readonly ended: Promise<string>;
}

/** The note for a server that could not ask the person because several of its calls were running. */
const ALONE =
  'The tool server tried to ask the person something but could not, because several of its tools were running. Call this tool again on its own.';
/** The limit of a call, however much progress it reports. */
const LONGEST_MS = 3_600_000;

/** Results are checked here, with limits. */
const ANYTHING = z.unknown();

interface Caller {
  readonly elicit: CallParts['elicit'];
  /** Ends the call with what `elicit` threw. */
  readonly fail: (error: unknown) => void;
  wasNotAsked: boolean;
}

export class Connection {
  readonly server: ToolServer;
  readonly #client: Client;
  readonly #callers = new Set<Caller>();
  #underWay = 0;
  #idleSince = performance.now();
  #endedBecause: string | undefined;
  #isClosed = false;

  constructor({ client, server, ended }: ConnectionParts) {
    this.#client = client;
    this.server = server;
    client.onclose = () => {
      this.#isClosed = true;
    };
    void ended.then((reason) => {
      this.#endedBecause = reason;
    });
    client.setRequestHandler('elicitation/create', (request) => this.#elicited(request.params));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Milliseconds since the last request ended; 0 while one is in progress. */
  get idleMs(): number {
    return this.#underWay > 0 ? 0 : performance.now() - this.#idleSince;
  }

  has(capability: 'tools' | 'resources' | 'prompts'): boolean {
    return this.#client.getServerCapabilities()?.[capability] !== undefined;
  }

  /** Calls the listener whenever the server reports that its tools changed. */
  onToolsChanged(listener: () => void): void {
    this.#client.setNotificationHandler('notifications/tools/list_changed', listener);
  }

  /** Sends a request. Rejects with `ServerFailure`. */
  async request<Schema extends z.ZodType>(
    asked: Asked,
    schema: Schema,
    { signal, timeoutMs }: RequestLimits,
  ): Promise<z.output<Schema>> {
    return this.#ask(asked, schema, { signal, timeout: timeoutMs });
  }

  /** As `request`, but progress extends the time limit, and the server may ask the person. */
  async call<Schema extends z.ZodType>(
    asked: Asked,
    schema: Schema,
    { signal, timeoutMs, onProgress, elicit }: CallParts,
  ): Promise<{ readonly result: z.output<Schema>; readonly note: string | undefined }> {
    const stop = new AbortController();
    let thrown: { readonly error: unknown } | undefined;
    const caller: Caller = {
      elicit,
      fail(error) {
        thrown = { error };
        stop.abort();
      },
      wasNotAsked: false,
    };
    this.#callers.add(caller);
    try {
      const result = await this.#ask(asked, schema, {
        signal: AbortSignal.any([signal, stop.signal]),
        timeout: timeoutMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: Math.max(timeoutMs, LONGEST_MS),
        onprogress: ({ progress, total, message }) => onProgress({ progress, total, message }),
      });
      return { result, note: caller.wasNotAsked ? ALONE : undefined };
    } catch (error) {
      throw thrown === undefined ? error : thrown.error;
    } finally {
      this.#callers.delete(caller);
    }
  }

  /** Resolves when nothing of the connection remains. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client.close().catch(() => {});
  }

  async #ask<Schema extends z.ZodType>(
    asked: Asked,
    schema: Schema,
    options: RequestOptions,
  ): Promise<z.output<Schema>> {
    this.#underWay++;
    try {
      const result = await this.#client.request(asked, ANYTHING, options);
      const parsed = schema.safeParse(result);
      if (parsed.success) return parsed.data;
      const said = `The tool server '${this.server.name}' sent a response that is not valid for ${asked.method}.`;
      throw new ServerFailure('refused', said);
    } catch (error) {
      if (options.signal?.aborted === true) throw new ServerFailure('cancelled', 'The call was cancelled.');
      throw failureOf(error, {
        server: this.server,
        doing: 'calling',
        inSession: this.#client.transport?.sessionId !== undefined,
        reason: this.#endedBecause,
      });
    } finally {
      this.#underWay--;
      this.#idleSince = performance.now();
    }
  }

  /** Asks the person only during a single call: the protocol does not say for which call a server asks. */
  #elicited(params: unknown): ElicitationAnswer {
    const asked = elicitationSchema.safeParse(params);
    if (!asked.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Only forms can be shown to the person.');
    const [caller, ...others] = this.#callers;
    if (caller === undefined || others.length > 0) {
      for (const it of this.#callers) it.wasNotAsked = true;
      return { action: 'cancel' };
    }
    try {
      return caller.elicit(asked.data);
    } catch (error) {
      caller.fail(error);
      return { action: 'cancel' };
    }
  }
}

const MAX_FIELDS = 50;
const text = z.string().max(4_000);

const fieldSchema = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']).optional(),
  title: text.optional(),
  description: text.optional(),
  enum: z.array(text).max(200).optional(),
});

const elicitationSchema = z.looseObject({
  message: text,
  requestedSchema: z.looseObject({
    properties: z
      .record(z.string().max(200), fieldSchema)
      .refine((fields) => Object.keys(fields).length <= MAX_FIELDS),
    required: z.array(z.string().max(200)).max(MAX_FIELDS).optional(),
  }),
});

export type Elicitation = z.output<typeof elicitationSchema>;

export type ElicitationAnswer =
  | { action: 'accept'; content: Record<string, string | number | boolean | string[]> }
  | { action: 'decline' }
  | { action: 'cancel' };
