// The events of Agent Protocol v2, as every transport sends them, and the filters of subscriptions. Pure.

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
  /** The channel's name, except for `input`, whose events have names of their own. */
  readonly method: Exclude<ProtocolChannel, 'input'> | 'input.requested' | 'input.answered';
  /** `[]` for the lead agent. */
  readonly namespace: readonly string[];
  readonly node?: string;
  /** The name of a custom event, if it has one; clients may request `custom:<name>` alone. */
  readonly name?: string;
  /** Makes the JSON text on demand, because a state may be megabytes long. */
  readonly data: () => string;
}

/** An event with its position in its thread. */
export interface NumberedEvent extends ProtocolEvent {
  /** Unique in the thread, and the same whenever the event is sent. */
  readonly eventId: string;
  /** Rises strictly in the thread, unless the run is sent again. */
  readonly seq: number;
  /** Epoch milliseconds, the same whenever the event is sent. */
  readonly timestamp: number;
  /** Reports lost events to the reader, after which the run is sent from its start. For all readers. */
  readonly beginsAnew?: true;
}

export function eventText(event: NumberedEvent): string {
  const { eventId, seq, method, namespace, timestamp, node } = event;
  const nodeText = node === undefined ? '' : `"node":${JSON.stringify(node)},`;
  return `{"type":"event","event_id":"${eventId}","seq":${seq},"method":"${method}","params":{"namespace":${JSON.stringify(namespace)},"timestamp":${timestamp},${nodeText}"data":${event.data()}}}`;
}

export interface EventFilter {
  /** Names of channels; `custom:<name>` for one kind of custom events. */
  readonly channels: ReadonlySet<string>;
  /** Only events at or below one of these; absent or empty: everywhere. */
  readonly namespaces?: readonly (readonly string[])[] | undefined;
  /** How far below; absent: any depth. */
  readonly depth?: number | undefined;
}

export function wants(filter: EventFilter, event: ProtocolEvent): boolean {
  const { channels } = filter;
  const isAsked =
    channels.has(event.channel) || (event.name !== undefined && channels.has(`custom:${event.name}`));
  return isAsked && wantsNamespace(filter, event);
}

function wantsNamespace({ namespaces, depth }: EventFilter, { namespace }: ProtocolEvent): boolean {
  if (namespaces === undefined || namespaces.length === 0) return true;
  return namespaces.some(
    (prefix) =>
      prefix.every((segment, index) => isSegment(namespace[index], segment)) &&
      (depth === undefined || namespace.length - prefix.length <= depth),
  );
}

/** True when the segments match; `tools` matches every `tools:<id>`. */
function isSegment(given: string | undefined, asked: string): boolean {
  return given === asked || given?.split(':', 1)[0] === asked;
}
