// Agent Protocol v2 over one WebSocket: commands in, responses and the events of subscriptions out.
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { parseJsonText } from '../../json/json-text.ts';
import type { Log } from '../../log.ts';
import {
  type EventFilter,
  eventText,
  type NumberedEvent,
  wants,
} from '../../runs/reading/protocol/protocol-event.ts';
import type { ThreadEvents } from '../../runs/reading/protocol/thread-events.ts';
import type { AppContext } from '../api/context.ts';
import { pathParam } from '../api/route-access.ts';
import { validate } from '../api/validate.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import {
  type Command,
  type CommandParts,
  commandSchema,
  respondToCommand,
  successText,
} from '../thread-protocol/commands.ts';
import { eventFilter, subscriptionSchema } from '../thread-protocol/event-stream.ts';
import { errorText, ProtocolRefusal, toRefusal } from '../thread-protocol/protocol-refusal.ts';
import { CLOSE, type LiveSocket, openLiveSocket, refusalOf } from './live-socket.ts';

export interface ProtocolSocketParts extends CommandParts {
  readonly openStreams: OpenStreams;
  readonly threadEvents: ThreadEvents;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Serves one socket of an authenticated request. Its first command may create the thread. */
export function serveProtocolSocket(parts: ProtocolSocketParts, c: AppContext, socket: WebSocket): void {
  new ProtocolSocket(parts, c, socket);
}

interface Subscription {
  readonly filter: EventFilter;
  /** The `seq` of the last event that was shown to it or filtered out. */
  through: number;
}

const MAX_SUBSCRIPTIONS = 64;
/** Maximum number of bytes of queued commands. */
const MAX_WAITING_BYTES = 16_777_216;
const unsubscribeSchema = z.object({ subscription_id: z.string() });

class ProtocolSocket {
  readonly #parts: ProtocolSocketParts;
  readonly #c: AppContext;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #live: LiveSocket;
  /** Commands are executed one after another. */
  #commands: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #reading: AbortController | undefined;

  constructor(parts: ProtocolSocketParts, c: AppContext, socket: WebSocket) {
    this.#parts = parts;
    this.#c = c;
    this.#live = openLiveSocket(socket, {
      openStreams: parts.openStreams,
      now: parts.now,
      follower: c.var,
      onMessage: (bytes) => this.#enqueue(bytes),
    });
  }

  #enqueue(bytes: Uint8Array): void {
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#live.close(CLOSE.refused, 'Too many concurrent commands.');
      return;
    }
    this.#commands = this.#commands.then(() => this.#receive(bytes));
  }

  async #receive(bytes: Uint8Array): Promise<void> {
    let id: number | null = null;
    try {
      const command = validate(commandSchema, parseJsonText(bytes), 'body');
      id = command.id;
      await this.#carryOut(command);
    } catch (error) {
      await this.#refuse(id, error);
    } finally {
      this.#waitingBytes -= bytes.length;
    }
  }

  async #carryOut(command: Command): Promise<void> {
    switch (command.method) {
      case 'subscription.subscribe':
        return this.#subscribe(command);
      case 'subscription.unsubscribe':
        return this.#unsubscribe(command);
      default:
        return this.#send(await respondToCommand(this.#parts, this.#c, command));
    }
  }

  async #subscribe({ id, params }: Command): Promise<void> {
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new ProtocolRefusal(
        'invalid_argument',
        `A socket has at most ${MAX_SUBSCRIPTIONS} subscriptions.`,
      );
    }
    const filter = eventFilter(validate(subscriptionSchema, params ?? {}, 'body'));
    const subscriptionId = this.#parts.newId();
    // The client can assign events to the subscription only after it has the response.
    await this.#send(successText(this.#c, id, JSON.stringify({ subscription_id: subscriptionId })));
    this.#subscriptions.set(subscriptionId, { filter, through: -1 });
    this.#readAgain();
  }

  async #unsubscribe({ id, params }: Command): Promise<void> {
    const { subscription_id: subscriptionId } = validate(unsubscribeSchema, params ?? {}, 'body');
    if (!this.#subscriptions.delete(subscriptionId)) {
      throw new ProtocolRefusal('no_such_subscription', 'The socket has no such subscription.');
    }
    if (this.#subscriptions.size === 0) this.#reading?.abort();
    await this.#send(successText(this.#c, id, '{}'));
  }

  /** Reads from the beginning for the new subscription. The others are not shown events again. */
  #readAgain(): void {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#read(reading.signal).catch((error: unknown) => this.#fail(error));
  }

  async #read(replaced: AbortSignal): Promise<void> {
    const { repositories } = this.#c.var;
    const threadId = pathParam(this.#c, 'thread_id');
    const signal = AbortSignal.any([replaced, this.#live.closed]);
    const seen = Math.max(...[...this.#subscriptions.values()].map(({ through }) => through));
    const events = await this.#parts.threadEvents.read({
      repositories,
      threadId,
      signal,
      since: seen < 0 ? undefined : seen,
      showsSeen: true,
    });
    for await (const batch of events) {
      for (const event of batch) {
        if (signal.aborted) return;
        if (this.#isWanted(event)) await this.#send(eventText(event));
      }
    }
  }

  #isWanted(event: NumberedEvent): boolean {
    let wanted = event.beginsAnew ?? false;
    for (const subscription of this.#subscriptions.values()) {
      if (event.beginsAnew) subscription.through = -1;
      if (subscription.through >= event.seq) continue;
      subscription.through = event.seq;
      wanted ||= wants(subscription.filter, event);
    }
    return wanted;
  }

  async #refuse(id: number | null, error: unknown): Promise<void> {
    const refusal = toRefusal(error) ?? denied(error);
    if (refusal === undefined) return this.#fail(error);
    return this.#send(errorText(id, refusal));
  }

  async #fail(error: unknown): Promise<void> {
    const { message } = refusalOf(error, this.#parts.log);
    await this.#send(errorText(null, new ProtocolRefusal('unknown_error', message)));
    this.#live.close(CLOSE.fault, message);
  }

  async #send(text: string): Promise<void> {
    const slow = this.#live.send(text);
    if (slow !== undefined) await slow;
  }
}

/** Converts `not_found` and `forbidden` to refusals. They are no reason to end the connection. */
function denied(error: unknown): ProtocolRefusal | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  if (error.code === 'not_found') return new ProtocolRefusal('invalid_argument', error.detail);
  return error.code === 'forbidden' ? new ProtocolRefusal('permission_denied', error.detail) : undefined;
}
