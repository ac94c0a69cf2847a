// Which addresses the agent's requests may reach, on a machine that has public ones itself.
import { expect, it } from 'vitest';
import { type Interfaces, isReachable } from '../../src/network/address-rules.ts';

const of = (address: string, family: 'IPv4' | 'IPv6') => ({
  address,
  family,
  netmask: '',
  mac: '00:00:00:00:00:00',
  internal: false,
  cidr: null,
  scopeid: 0,
});
const interfaces = (() => ({
  lo: [of('127.0.0.1', 'IPv4')],
  eth0: [of('93.184.216.34', 'IPv4'), of('2606:2800:220:1:248:1893:25c8:1946', 'IPv6')],
})) as Interfaces;

it("[sandbox.network.own] the machine's own public addresses are no addresses of the internet, in no spelling", () => {
  const own = [
    '93.184.216.34',
    '::ffff:93.184.216.34',
    '::ffff:5db8:d822',
    '2606:2800:220:1:248:1893:25c8:1946',
    '2606:2800:0220:0001:0248:1893:25c8:1946',
  ];
  const others = ['93.184.216.35', '2606:2800:220:1:248:1893:25c8:1947'];
  const reached = (addresses: readonly string[]) =>
    addresses.filter((address) => isReachable(address, 'public', interfaces));
  expect([reached(own), reached(others)]).toEqual([[], others]);
});

it('[sandbox.network.own] an operator may open the machine itself, by its public address as well', () => {
  expect(isReachable('93.184.216.34', 'lan', interfaces)).toBe(true);
  expect(isReachable('127.0.0.1', 'lan', interfaces)).toBe(true);
});
