// Which events a subscription wants. Pure.
import type { ProtocolEvent } from './protocol-event.ts';

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
