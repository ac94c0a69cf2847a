// The headers of a message without those that are about one connection only, which a proxy keeps to itself.

const OF_CONNECTION = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect'],
  ...['proxy-authorization', 'proxy-authenticate'],
]);

/**
 * `raw`: names and values in turn, as they came. A request says itself how its body is delimited; of an answer, whoever
 * passes it on decides that anew. The host of a request is the one of its address, whatever its header says.
 */
export function endToEndHeaders(raw: readonly string[], kind: 'request' | 'response'): readonly string[] {
  const named = namedByConnection(raw);
  const dropped = kind === 'request' ? 'host' : 'transfer-encoding';
  return pairs(raw)
    .filter(([name]) => {
      const key = name.toLowerCase();
      return key !== dropped && !OF_CONNECTION.has(key) && (!named.has(key) || DELIMITING.has(key));
    })
    .flat();
}

/** A connection header that names them must not take a body's end away. */
const DELIMITING = new Set(['content-length', 'transfer-encoding']);

function namedByConnection(raw: readonly string[]): ReadonlySet<string> {
  const values = pairs(raw).filter(([name]) => name.toLowerCase() === 'connection');
  return new Set(values.flatMap(([, value]) => value.split(',').map((it) => it.trim().toLowerCase())));
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}
