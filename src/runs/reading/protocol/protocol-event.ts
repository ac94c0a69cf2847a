// The events of Agent Protocol v2, as every transport sends them, and which of them a subscription wants. Pure.

export const PROTOCOL_CHANNELS = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
] as const;

export type ProtocolChannel = (typeof PROTOCOL_CHANNELS)[number];

export interface ProtocolEvent {
  readonly channel: ProtocolChannel;
  /** The channel's name, but for `input`, whose events have names of their own. */
  readonly method: Exclude<ProtocolChannel, 'input'> | 'input.requested' | 'input.answered';
  /** `[]` is the lead agent. */
  readonly namespace: readonly string[];
  readonly node?: string;
  /** Of a custom event that has one: `custom:<name>` may be asked for alone. */
  readonly name?: string;
  /** JSON text, made only for who wants it: a state may be megabytes. */
  readonly data: () => string;
}

/** An event at its place in its thread. */
export interface NumberedEvent extends ProtocolEvent {
  /** Unique in the thread; the same event has the same one whenever it is told. */
  readonly eventId: string;
  /** Rises strictly in the thread, unless the run is told anew. */
  readonly seq: number;
  /** Epoch milliseconds, the same whenever it is told. */
  readonly timestamp: number;
  /** It says that some of what its reader was shown is lost; the run is told from its start behind it. For all readers. */
  readonly beginsAnew?: true;
}

/** The event as one line of JSON. */
export function eventText(event: NumberedEvent): string {
  const { eventId, seq, method, namespace, timestamp, node } = event;
  const nodeText = node === undefined ? '' : `"node":${JSON.stringify(node)},`;
  return `{"type":"event","event_id":"${eventId}","seq":${seq},"method":"${method}","params":{"namespace":${JSON.stringify(namespace)},"timestamp":${timestamp},${nodeText}"data":${event.data()}}}`;
}

/** Which events a subscription wants. Pure. */
export interface EventFilter {
  /** Names of channels; `custom:<name>` for one kind of custom events. */
  readonly channels: ReadonlySet<string>;
  /** Only events at or below one of these; absent or empty: everywhere. */
  readonly namespaces?: readonly (readonly string[])[] | undefined;
  /** How far below; absent: any depth. */
  readonly depth?: number | undefined;
}

export function wants(filter: EventFilter, event: ProtocolEvent): boolean {
  return wantsChannel(filter, event) && wantsNamespace(filter, event);
}

function wantsChannel({ channels }: EventFilter, { channel, name }: ProtocolEvent): boolean {
  return channels.has(channel) || (name !== undefined && channels.has(`custom:${name}`));
}

function wantsNamespace({ namespaces, depth }: EventFilter, { namespace }: ProtocolEvent): boolean {
  if (namespaces === undefined || namespaces.length === 0) return true;
  return namespaces.some(
    (prefix) =>
      prefix.every((segment, index) => isSegment(namespace[index], segment)) &&
      (depth === undefined || namespace.length - prefix.length <= depth),
  );
}

/** `tools` stands for every `tools:<id>`. */
function isSegment(given: string | undefined, asked: string): boolean {
  return given === asked || given?.split(':', 1)[0] === asked;
}
