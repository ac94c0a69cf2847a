// Requests of an attacker: code of databases and of JSON paths in every place that accepts a text.
import fc from 'fast-check';

export interface HostileRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: string;
}

/** Code of databases, of JSON paths and of searches. */
export const PAYLOADS = [
  "' or 1=1 --",
  "' union select thread_id, metadata from threads --",
  "'; drop table threads; --",
  "') or ('a'='a",
  '" or ""="',
  "1' and sleep(5) --",
  '1; select pg_sleep(5)',
  '$.topic',
  '$..*',
  '$[?(@.a)]',
  "$.a' || user_id || '",
  '{topic}',
  'topic->>0',
  'a.b',
  '%',
  '_',
  '\\',
  "\\'",
  '\u0000',
  'tea\u0000',
  '*',
  'bait*',
  'words:bait',
  '"bait" NEAR/2 "tea"',
  '^bait',
  'NOT bait',
  'bait AND (tea OR "',
  "bait' & '_title",
  '_text',
  '_shared',
  ':* | !a <-> b',
  '{"$ne": null}',
  '__proto__',
  'constructor',
  '9223372036854775808',
  '-1',
  '1e309',
  'NaN',
  '0x10',
  '2026-13-45T99:99:99Z',
  '\ud83e\udd8a',
  'ｂａｉｔ',
  '東京',
  '\u202e\u200d\u0301',
  'null',
  'true',
  '[]',
];

/** Values in the rows of the other user. */
const BAIT = ['bait', 'tea', 'topic', 'bob-1', 'bob-2', 'owner_id', 'user_id'];

const text = fc.oneof(
  fc.constantFrom(...PAYLOADS),
  fc.constantFrom(...BAIT),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.tuple(fc.constantFrom(...BAIT), fc.constantFrom(...PAYLOADS)).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom(...PAYLOADS), fc.constantFrom(...PAYLOADS)).map((parts) => parts.join(' ')),
);
/** Returns a valid value most of the time, since one wrong field alone gets a request refused. */
function mostly<T>(valid: fc.Arbitrary<T>, ...others: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: valid }, ...others);
}

const value = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom<unknown>(null, true, [], {}, { $ne: null }, ['bait'], { topic: 'tea' }),
);
const key = mostly(
  fc.constantFrom(...BAIT, 'a.b', '__proto__', 'constructor', '1', 'true', '-1', 'null'),
  text,
);
const metadata = fc.dictionary(key, value, { maxKeys: 4 });
const number = mostly<unknown>(
  fc.integer({ min: 1, max: 50 }),
  fc.integer({ min: -5, max: 1_100 }),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom<unknown>('1', '1; drop table runs', 2 ** 53, -(2 ** 63), null, [], {}),
);
const status = mostly(fc.constantFrom<unknown>('idle', 'busy', 'error'), text);
const sorting = {
  sort_by: mostly(fc.constantFrom('thread_id', 'status', 'created_at', 'updated_at'), text),
  sort_order: mostly(fc.constantFrom('asc', 'desc'), text),
};
const select = fc.array(fc.oneof(fc.constantFrom('thread_id', 'values', 'metadata', 'user_id'), text), {
  maxLength: 4,
});
const ids = fc.array(mostly(fc.constantFrom('bob-1', 'bob-2', 'ann-1'), text), { maxLength: 4 });

const filter = { metadata: mostly<unknown>(metadata, value), status, ids };
const search = fc.record(
  { ...filter, ...sorting, limit: number, offset: number, select },
  { requiredKeys: [] },
);
const prefix = fc.constantFrom('/api', '/api/graph');

function post(path: string, body: unknown): HostileRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}

function withQuery(path: string, query: Readonly<Record<string, unknown>>): HostileRequest {
  const pairs = Object.entries(query).map(
    ([name, it]) => `${name}=${encodeURIComponent(String(it).toWellFormed())}`,
  );
  return { method: 'GET', path: `${path}?${pairs.join('&')}` };
}

const segment = fc
  .oneof(fc.constantFrom('bob-1', 'bob-2', 'bob-run', 'absent'), text)
  .map((it) => encodeURIComponent(it.toWellFormed()) || '%20');
const cursor = mostly<unknown>(number, text);
const cursors = fc.record(
  { limit: cursor, offset: cursor, before_seq: cursor, after_seq: cursor, status: text, event_types: text },
  { requiredKeys: [] },
);
const date = fc.oneof(
  fc.date().map((it) => (Number.isNaN(it.getTime()) ? 'x' : it.toISOString())),
  cursor,
);
const LISTINGS = ['/messages', '/messages/page', '/runs', '/token-usage', '', '/state'];

/** Includes paths of the own thread, since a refusal because of the thread does not test the cursor. */
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(prefix, search).map(([start, it]) => post(`${start}/threads/search`, it)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(prefix, fc.record(filter, { requiredKeys: [] }))
      .map(([start, it]) => post(`${start}/threads/count`, it)),
  },
  {
    weight: 6,
    arbitrary: fc
      .record(
        {
          q: fc.oneof(
            text,
            fc.array(text, { maxLength: 4 }).map((it) => it.join(' ')),
          ),
          limit: cursor,
          offset: cursor,
        },
        { requiredKeys: ['q'] },
      )
      .map((it) => withQuery('/api/search', it)),
  },
  fc.record({ q: text }).map((it) => withQuery('/api/search', it)),
  fc
    .tuple(prefix, segment, fc.constantFrom(...LISTINGS), cursors)
    .map(([start, id, path, it]) => withQuery(`${start}/threads/${id}${path}`, it)),
  fc
    .tuple(prefix, fc.constantFrom(...LISTINGS), cursors)
    .map(([start, path, it]) => withQuery(`${start}/threads/ann-1${path}`, it)),
  fc
    .tuple(prefix, segment, fc.constantFrom('', '/events', '/messages', '/feedback'), cursors)
    .map(([start, run, path, it]) => withQuery(`${start}/threads/ann-1/runs/${run}${path}`, it)),
  fc
    .tuple(segment, fc.constantFrom('/messages', '/feedback'), cursors)
    .map(([run, path, it]) => withQuery(`/api/runs/${run}${path}`, it)),
  fc
    .tuple(prefix, fc.record({ limit: number, before: fc.oneof(text, value) }, { requiredKeys: [] }))
    .map(([start, it]) => post(`${start}/threads/ann-1/history`, it)),
  fc
    .record({ metadata, thread_id: fc.oneof(text, fc.constantFrom('bob-1')) }, { requiredKeys: [] })
    .map((it) => post('/api/threads', it)),
  fc.record({ metadata: fc.oneof(metadata, value) }).map((it) => ({
    method: 'PATCH' as const,
    path: '/api/threads/ann-1',
    body: JSON.stringify(it),
  })),
  fc
    .record({ from: date, to: date, limit: cursor, before: cursor }, { requiredKeys: [] })
    .map((it) => withQuery('/api/usage', it)),
);
