// The requests of the bench of the record.
import { LONGEST, type RecordSize } from './fill-record.ts';
import { wordOfRank } from './record-text.ts';

export interface Question {
  readonly kind: 'listing' | 'events' | 'words';
  readonly what: string;
  /** The path, and a body for `POST`, of the n-th request. */
  readonly ask: (n: number, size: RecordSize) => readonly [path: string, body?: object];
}

const SEARCH = '/api/threads/search';
/** The n-th of so many, all over them. */
export const found = (n: number, count: number): number => Math.floor(((n * 0.618_034) % 1) * count);
const words = (...ranks: number[]): string => encodeURIComponent(ranks.map(wordOfRank).join(' '));

export const QUESTIONS: readonly Question[] = [
  { kind: 'listing', what: 'newest threads', ask: () => [SEARCH, { limit: 100 }] },
  {
    kind: 'listing',
    what: 'a page far behind',
    ask: (n, { threads }) => [SEARCH, { limit: 100, offset: found(n, threads) }],
  },
  {
    kind: 'listing',
    what: 'metadata of one thread',
    ask: (n, { threads }) => [SEARCH, { metadata: { ticket: found(n, threads) } }],
  },
  {
    kind: 'listing',
    what: 'metadata of 100 threads',
    ask: (n) => [SEARCH, { metadata: { project: found(n, 1_000) } }],
  },
  {
    kind: 'listing',
    what: 'metadata of 2,000 threads',
    ask: (n) => [SEARCH, { metadata: { topic: `topic ${found(n, 50)}` } }],
  },
  {
    kind: 'listing',
    what: 'metadata and status',
    ask: (n) => [SEARCH, { metadata: { topic: `topic ${found(n, 50)}` }, status: 'error' }],
  },
  { kind: 'listing', what: 'status', ask: () => [SEARCH, { status: 'interrupted', sort_by: 'created_at' }] },
  { kind: 'listing', what: 'sorted by id', ask: () => [SEARCH, { sort_by: 'thread_id', sort_order: 'asc' }] },
  { kind: 'listing', what: 'sorted by status', ask: () => [SEARCH, { sort_by: 'status' }] },
  { kind: 'listing', what: 'count of all', ask: () => ['/api/threads/count', {}] },
  {
    kind: 'listing',
    what: 'count by metadata',
    ask: (n) => ['/api/threads/count', { metadata: { topic: `topic ${found(n, 50)}` } }],
  },
  {
    kind: 'listing',
    what: 'runs of a thread',
    ask: () => [`/api/graph/threads/${LONGEST.threadId}/runs?limit=100&offset=0`],
  },
  {
    kind: 'listing',
    what: 'usage of 366 days',
    ask: () => ['/api/usage?from=2025-08-01&to=2026-08-01'],
  },
  {
    kind: 'events',
    what: '200 events of a run',
    ask: (n) => [
      `/api/threads/${LONGEST.threadId}/runs/${LONGEST.runId}/events?limit=200&after_seq=${found(n, 7_800)}`,
    ],
  },
  {
    kind: 'events',
    what: '200 messages of a run',
    ask: (n) => [
      `/api/threads/${LONGEST.threadId}/runs/${LONGEST.runId}/messages?limit=200&before_seq=${1_000 + found(n, 7_000)}`,
    ],
  },
  {
    kind: 'events',
    what: '200 messages of a thread',
    ask: () => [`/api/threads/${LONGEST.threadId}/messages?limit=200`],
  },
  { kind: 'words', what: 'a rare word', ask: (n) => [`/api/search?q=${words(20_000 + found(n, 15_000))}`] },
  {
    kind: 'words',
    what: 'a word of some texts',
    ask: (n) => [`/api/search?q=${words(300 + found(n, 600))}`],
  },
  { kind: 'words', what: 'a word of every other text', ask: (n) => [`/api/search?q=${words(found(n, 6))}`] },
  {
    kind: 'words',
    what: 'common and rare',
    ask: (n) => [`/api/search?q=${words(0, 9_000 + found(n, 9_000))}`],
  },
  {
    kind: 'words',
    what: 'four common words',
    ask: (n) => [`/api/search?q=${words(1, 2, 3 + found(n, 5), 10 + found(n, 9))}`],
  },
  {
    kind: 'words',
    what: 'a beginning of two letters',
    ask: (n) => [`/api/search?q=${wordOfRank(found(n, 30)).slice(0, 2)}`],
  },
  {
    kind: 'words',
    what: 'one letter',
    ask: (n) => [`/api/search?q=${wordOfRank(found(n, 30)).slice(0, 1)}`],
  },
  {
    kind: 'words',
    what: 'a phrase of common words',
    ask: (n) => [`/api/search?q=${encodeURIComponent(`"${wordOfRank(0)} ${wordOfRank(1 + found(n, 4))}"`)}`],
  },
  {
    kind: 'words',
    what: 'a phrase that is nowhere',
    ask: (n) => [
      `/api/search?q=${encodeURIComponent(`"${wordOfRank(0)} ${wordOfRank(0)} ${wordOfRank(n % 3)} ${wordOfRank(1)}"`)}`,
    ],
  },
  { kind: 'words', what: 'the 20th page', ask: (n) => [`/api/search?q=${words(found(n, 6))}&offset=380`] },
  { kind: 'words', what: 'nothing', ask: (n) => [`/api/search?q=nowhere${n}`] },
];
