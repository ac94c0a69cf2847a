// The figures of many concurrent streams, as a section of the page and as targets.
import type { IdleFigures } from './idle-streams.ts';
import type { PacedFigures } from './paced-streams.ts';
import { atLeast, atMost, number, type Target, table } from './report-table.ts';

export interface StreamFigures {
  /** One for each round. */
  readonly paced: readonly PacedFigures[];
  /** The same streams through the pass-through. */
  readonly passedThrough: PacedFigures;
  readonly idle: IdleFigures;
}

export function streamsSection({ paced, passedThrough, idle }: StreamFigures): string {
  const rows = [...inOrder(paced), passedThrough].map((it) => [
    it === passedThrough ? 'pass-through' : 'service',
    number(it.streams),
    it.isPinned ? 'one core' : 'not pinned',
    number(it.tokensPerSecond),
    number(it.delayMedian),
    number(it.delayP99),
    number(it.delayP999),
    (it.inTime * 100).toFixed(2),
    number(it.busy * 100),
    number(it.modelBusy * 100),
    number(it.clientBusy * 100),
    number(it.peakMegabytes),
  ]);
  const silent = `${number(idle.streams)} streams of runs that say nothing: ${number(idle.kilobytesPerStream)} KB of resident memory each, their heartbeats take ${number(idle.busy * 100)} % of a core.`;
  return `${NOTE}\n\n${table(HEAD, rows)}\n\n${silent}`;
}

const NOTE = [
  'Every stream is a run whose model sends 30 tokens a second, and the token is the time of its sending: the delay is',
  'that until the client has read it. The server has one core for all its threads, model server and client share the',
  'other. Rounds in the order of their p99; last the pass-through, which stores nothing.',
].join(' ');

const HEAD = [
  'server',
  'streams',
  'on',
  'tokens/s',
  'p50 ms',
  'p99 ms',
  'p99.9 ms',
  'within 100 ms, %',
  'CPU %',
  'model CPU %',
  'client CPU %',
  'peak MB',
];

export function streamTargets(figures: StreamFigures | undefined): readonly Target[] {
  const rounds = inOrder(figures?.paced ?? []);
  const middle = rounds[Math.floor(rounds.length / 2)];
  return [
    atLeast('tokens within 100 ms, 1,000 streams of 30 tokens/s on one core, %', 99, percent(middle?.inTime)),
    atMost('memory with 1,000 such streams, MB', 600, middle?.peakMegabytes),
    atMost('memory of an idle stream, KB', 25, figures?.idle.kilobytesPerStream),
  ];
}

function inOrder(rounds: readonly PacedFigures[]): readonly PacedFigures[] {
  return rounds.toSorted((a, b) => a.delayP99 - b.delayP99);
}

function percent(share: number | undefined): number | undefined {
  return share === undefined ? undefined : share * 100;
}
