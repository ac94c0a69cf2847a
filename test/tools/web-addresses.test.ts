// Every spelling of an address that is not public gets no connection. Generated, so that no spelling is
// forgotten.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPageFetcher } from '../../src/tools/web/fetch-page.ts';

/** Names resolve to the address of the case. A connection would show by a response, which never arrives. */
function fetcher(address: string, allowed: readonly string[] = []) {
  const resolved: string[] = [];
  const fetchPage = createPageFetcher({
    allowedHosts: new Set(allowed),
    resolve: async (host) => {
      resolved.push(host);
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    },
    timeoutMs: 2_000,
  });
  return { fetchPage, resolved };
}

const REFUSED =
  /is not a public address of the internet|^Only |user name or a password|not a full address|There is no host/;

async function refusalOf(url: string, address = '10.0.0.1'): Promise<string> {
  const { fetchPage } = fetcher(address);
  return fetchPage(url, new AbortController().signal).then(
    () => 'fetched',
    (error: Error) => error.message,
  );
}

const byte = fc.integer({ min: 0, max: 255 });
const quad = (...parts: readonly (number | fc.Arbitrary<number>)[]) =>
  fc.tuple(...parts.map((part) => (typeof part === 'number' ? fc.constant(part) : part)));

const innerIpv4 = fc.oneof(
  quad(0, byte, byte, byte),
  quad(10, byte, byte, byte),
  quad(100, fc.integer({ min: 64, max: 127 }), byte, byte),
  quad(127, byte, byte, byte),
  quad(169, 254, byte, byte),
  quad(172, fc.integer({ min: 16, max: 31 }), byte, byte),
  quad(192, 0, 0, byte),
  quad(192, 0, 2, byte),
  quad(192, 168, byte, byte),
  quad(198, fc.integer({ min: 18, max: 19 }), byte, byte),
  quad(168, 63, 129, 16),
  quad(198, 51, 100, byte),
  quad(203, 0, 113, byte),
  quad(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
);

const hex = (value: number, digits = 0) => value.toString(16).padStart(digits, '0');
const numberOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
const radix = (value: number, kind: number) =>
  [String(value), `0x${hex(value)}`, `0${value.toString(8)}`, `0X${hex(value).toUpperCase()}`][kind] ?? '';

/** One address in all the spellings that systems and browsers accept. */
const spelled = fc
  .tuple(innerIpv4, fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 4 }), fc.nat(12))
  .map(([parts, kinds, form]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts;
    const kind = (index: number) => kinds[index] ?? 0;
    const low = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
    const dotted = parts.join('.');
    const forms = [
      dotted,
      `${dotted}.`,
      parts.map((part, index) => radix(part, kind(index))).join('.'),
      radix(numberOf(parts), kind(0)),
      `${radix(a, kind(0))}.${radix(numberOf([b, c, d]), kind(1))}`,
      `${radix(a, kind(0))}.${radix(b, kind(1))}.${radix(numberOf([c, d]), kind(2))}`,
      `[::ffff:${low}]`,
      `[::ffff:${dotted}]`,
      `[64:ff9b::${low}]`,
      `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
      `[::${low}]`,
      dotted.replaceAll('.', '。'),
      [...dotted]
        .map((it) => (/\d/.test(it) ? String.fromCodePoint(it.charCodeAt(0) + 0xfee0) : it))
        .join(''),
    ];
    return forms[form] ?? dotted;
  });

const group = fc.integer({ min: 0, max: 0xffff }).map((it) => hex(it));
const innerIpv6 = fc.oneof(
  fc
    .tuple(
      fc.integer({ min: 0xfc00, max: 0xfdff }).map((it) => hex(it)),
      group,
    )
    .map(([a, b]) => `[${a}:${b}::1]`),
  fc
    .tuple(
      fc.integer({ min: 0xfe80, max: 0xfebf }).map((it) => hex(it)),
      group,
    )
    .map(([a, b]) => `[${a}::${b}]`),
  fc
    .tuple(
      fc.integer({ min: 0xff00, max: 0xffff }).map((it) => hex(it)),
      group,
    )
    .map(([a, b]) => `[${a}::${b}]`),
  fc.tuple(group, group).map(([a, b]) => `[2001:db8:${a}::${b}]`),
  fc.tuple(group, group).map(([a, b]) => `[64:ff9b:1:${a}::${b}]`),
  fc.tuple(group, group).map(([a, b]) => `[2001:0:${a}::${b}]`),
  fc.constantFrom('[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]'),
);

const scheme = fc.constantFrom('http://', 'https://', 'HTTP://', 'http:', 'http:/', 'http:\\\\');
const dressed = fc
  .tuple(
    scheme,
    fc.oneof(spelled, innerIpv6),
    fc.constantFrom('', ':80', ':443', ':22', ':6379', ':00080'),
    fc.constantFrom('', '/', '/latest/meta-data', '?q', '#x', '/%2e%2e/'),
  )
  .map((parts) => parts.join(''));

describe('addresses that are not public', () => {
  it('[hostile.S40] are refused in every spelling', async () => {
    await fc.assert(
      fc.asyncProperty(dressed, async (url) => {
        expect(await refusalOf(url)).toMatch(REFUSED);
      }),
      { numRuns: 10_000 },
    );
  });

  it('[hostile.S40] are refused behind every name, even behind one of several addresses', async () => {
    const name = fc.constantFrom(
      'a.example.com',
      'localhost',
      'LOCALHOST.',
      '127.0.0.1.nip.io',
      'metadata',
      'xn--a.test',
    );
    await fc.assert(
      fc.asyncProperty(name, innerIpv4, async (host, parts) => {
        expect(await refusalOf(`http://${host}/`, parts.join('.'))).toMatch(/is not a public address/);
        expect(await refusalOf(`http://${host}/`, `::ffff:${parts.join('.')}`)).toMatch(
          /is not a public address/,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('[hostile.S40] an allowed host allows neither another one nor its other ports, and no link-local address', async () => {
    const opened = fetcher('169.254.169.254', ['inside.example.com', 'other.example.com:8080']);
    const refused = (url: string) =>
      opened.fetchPage(url, new AbortController().signal).then(String, (error: Error) => error.message);
    expect(await refused('http://inside.example.com/')).toMatch(/not a public address/);
    expect(await refused('http://other.example.com:8080/')).toMatch(/not a public address/);
    expect(await refused('http://inside.example.com:6379/')).toMatch(/^Only the ports/);
    expect(await refused('http://other.example.com:8081/')).toMatch(/^Only the ports/);
    expect(await refused('http://sub.inside.example.com/')).toMatch(/not a public address/);
    expect(await refused('http://169.254.169.254/')).toMatch(/not a public address/);
  });

  it('[hostile.S40] addresses of cloud credentials are never fetched, whatever is allowed', async () => {
    const addresses = ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'];
    for (const address of [...addresses, '::ffff:168.63.129.16']) {
      const opened = fetcher(address, ['inside.example.com']);
      const url = address.includes(':') ? `http://[${address}]/` : `http://${address}/`;
      for (const asked of [url, 'http://inside.example.com/', 'http://public.example.com/']) {
        const answer = opened.fetchPage(asked, new AbortController().signal);
        await expect(answer.then(String, (error: Error) => error.message)).resolves.toMatch(
          /not a public address/,
        );
      }
    }
  });
});
