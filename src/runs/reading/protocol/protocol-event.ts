// The events of Agent Protocol v2, as every transport sends them.

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
