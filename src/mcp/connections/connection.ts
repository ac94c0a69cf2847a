// A connection to one tool server for one user: requests with their limits, and who is asked when the server asks back.
import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import { type Elicitation, type ElicitationAnswer, elicitationSchema } from './elicitation.ts';
import { failureOf } from './failure-of.ts';

export interface RequestLimits {
  readonly signal: AbortSignal;
  /** Without a word from the server, in milliseconds. */
  readonly timeoutMs: number;
}

export interface CallParts extends RequestLimits {
  readonly onProgress: (progress: Progress) => void;
  /** Asks the person. What it throws ends the call and is thrown by it. */
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
  /** Resolves with a clause when the program of the server has ended. */
  readonly ended: Promise<string>;
}

/** What a server that asks the person cannot say while it does several things at once. */
const ALONE =
  'The tool server wanted to ask the person something, and could not, because several of its tools were at work. Call this tool again, alone.';
/** However much progress a call makes. */
const LONGEST_MS = 3_600_000;

/** Checked here, with limits. */
const ANYTHING = z.unknown();

/** A call under way, whose person can be asked. */
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

  /** Milliseconds since its last request ended; 0 while one is under way. */
  get idleMs(): number {
    return this.#underWay > 0 ? 0 : performance.now() - this.#idleSince;
  }

  /** What the server says it has. */
  has(capability: 'tools' | 'resources' | 'prompts'): boolean {
    return this.#client.getServerCapabilities()?.[capability] !== undefined;
  }

  /** Called whenever the server says that its tools are others now. */
  onToolsChanged(listener: () => void): void {
    this.#client.setNotificationHandler('notifications/tools/list_changed', listener);
  }

  /** Rejects with `ServerFailure`. */
  async request<Schema extends z.ZodType>(
    asked: { readonly method: string; readonly params: Record<string, unknown> },
    schema: Schema,
    { signal, timeoutMs }: RequestLimits,
  ): Promise<z.output<Schema>> {
    return this.#ask(asked, schema, { signal, timeout: timeoutMs });
  }

  /** As `request`, but progress gives it more time, and the server may ask the person. */
  async call<Schema extends z.ZodType>(
    asked: { readonly method: string; readonly params: Record<string, unknown> },
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

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client.close().catch(() => {});
  }

  async #ask<Schema extends z.ZodType>(
    asked: { readonly method: string; readonly params: Record<string, unknown> },
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
      const reason = this.#endedBecause;
      throw failureOf(error, {
        server: this.server,
        doing: 'calling',
        inSession: this.#client.transport?.sessionId !== undefined,
        ...(reason === undefined ? {} : { reason }),
      });
    } finally {
      this.#underWay--;
      this.#idleSince = performance.now();
    }
  }

  /** Nothing in the protocol says for which call a server asks: it may while it does one thing only. */
  #elicited(params: unknown): ElicitationAnswer {
    const asked = elicitationSchema.safeParse(params);
    if (!asked.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Only forms are shown to the person.');
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
