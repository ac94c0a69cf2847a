// Which events a subscription is shown.
import { expect, it } from 'vitest';
import {
  type EventFilter,
  type ProtocolChannel,
  wants,
} from '../../src/runs/reading/protocol/protocol-event.ts';

const event = (channel: ProtocolChannel, namespace: readonly string[] = [], name?: string) => ({
  channel,
  method: channel === 'input' ? ('input.requested' as const) : channel,
  namespace,
  data: () => '{}',
  ...(name === undefined ? {} : { name }),
});
const filter = (channels: readonly string[], rest: Omit<EventFilter, 'channels'> = {}): EventFilter => ({
  channels: new Set(channels),
  ...rest,
});

it('[protocol.filter] is by channel, custom events by name, too', () => {
  expect(wants(filter(['values']), event('values'))).toBe(true);
  expect(wants(filter(['values']), event('updates'))).toBe(false);
  expect(wants(filter(['input']), event('input'))).toBe(true);
  expect(wants(filter(['custom']), event('custom', [], 'a'))).toBe(true);
  expect(wants(filter(['custom:a']), event('custom', [], 'a'))).toBe(true);
  expect(wants(filter(['custom:b']), event('custom', [], 'a'))).toBe(false);
  expect(wants(filter(['custom:a']), event('custom'))).toBe(false);
});

it('[protocol.filter] is by namespace and depth', () => {
  const deep = event('values', ['tools:1', 'model:2']);
  const cases: readonly (readonly [Omit<EventFilter, 'channels'>, boolean])[] = [
    [{}, true],
    [{ namespaces: [] }, true],
    [{ namespaces: [[]], depth: 1 }, false],
    [{ namespaces: [[]], depth: 2 }, true],
    [{ namespaces: [['tools:1']], depth: 1 }, true],
    [{ namespaces: [['tools']] }, true],
    [{ namespaces: [['tools:2']] }, false],
    [{ namespaces: [['tool']] }, false],
    [{ namespaces: [['tools:1', 'model:2', 'x']] }, false],
    [{ namespaces: [['other'], ['tools', 'model']] }, true],
  ];
  for (const [rest, expected] of cases)
    expect([rest, wants(filter(['values'], rest), deep)]).toEqual([rest, expected]);
});
