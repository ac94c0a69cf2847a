// Compares the frames of a run with those that the peer sent, ids, times and named differences aside.
import {
  FIELD_DIFFERENCES,
  type FieldDifference,
  FRAME_DIFFERENCES,
  type FrameDifference,
  type RunRequest,
} from './differences.ts';
import { withPlaces } from './frame-changes.ts';
import type { RecordedFrame } from './recording.ts';

export interface Comparison {
  /** What is not as the peer has it and not named; each with its place. Empty: the frames are alike. */
  readonly problems: readonly string[];
  /** The named differences that were met. */
  readonly met: ReadonlySet<FieldDifference | FrameDifference>;
}

/** Compares one run. More fields than the peer's are welcome; fewer, or other frames, are not. */
export function compared(
  peer: readonly RecordedFrame[],
  ours: readonly RecordedFrame[],
  request: RunRequest = {},
): Comparison {
  const met = new Set<FieldDifference | FrameDifference>();
  let expected = withPlaces(peer);
  let actual = withPlaces(ours);
  for (const difference of FRAME_DIFFERENCES) {
    const before = JSON.stringify([expected, actual]);
    expected = difference.expected?.(expected, request) ?? expected;
    actual = difference.compared?.(actual, request) ?? actual;
    if (JSON.stringify([expected, actual]) !== before) met.add(difference);
  }
  const order = orderProblems(expected, actual);
  if (order.length > 0) return { problems: order, met };
  const walk = new Walk(met);
  for (const [index, { event, data }] of expected.entries()) {
    const [kind = ''] = event.split('|');
    walk.compare(event, actual[index]?.event, kind);
    walk.compare(data, actual[index]?.data, kind);
  }
  return { problems: walk.problems, met };
}

function orderProblems(expected: readonly RecordedFrame[], actual: readonly RecordedFrame[]): string[] {
  const theirs = expected.map(labelOf);
  const ours = actual.map(labelOf);
  const place = theirs.findIndex((label, index) => label !== ours[index]);
  if (place < 0 && theirs.length === ours.length) return [];
  const at = place < 0 ? theirs.length : place;
  return [`frame ${at}: the peer has "${theirs[at] ?? 'no more'}", we have "${ours[at] ?? 'no more'}"`];
}

/** What a frame is about: order is compared by it. */
function labelOf({ event, data }: RecordedFrame): string {
  const about = data as Readonly<Record<string, unknown>>;
  const [kind, ...namespace] = event.split('|');
  const place = [kind, ...namespace.map((name) => name.replace(/:.*/, ''))].join('|');
  if (event === 'events') return `events ${about.event} ${about.name}`;
  if (kind === 'debug') return `${place} ${about.type}`;
  if (kind === 'updates') return `${place} ${Object.keys(about).join()}`;
  if (kind === 'tasks') return `${place} ${about.name} ${'result' in about ? 'result' : 'start'}`;
  return place;
}

const STEP = /(^debug|\.metadata)\.step$|\.tags\[\d+\]$/;

/** Walks over what the peer has. Ids and numbers of steps must be told apart, and be the same, as the peer's are. */
class Walk {
  readonly problems: string[] = [];
  readonly #met: Set<FieldDifference | FrameDifference>;
  readonly #ids = new Map<string, unknown>();

  constructor(met: Set<FieldDifference | FrameDifference>) {
    this.#met = met;
  }

  compare(peer: unknown, ours: unknown, path: string): void {
    const difference = FIELD_DIFFERENCES.find(({ at }) => at.test(path));
    if (difference !== undefined) {
      this.#met.add(difference);
      if (difference.says?.(ours, peer) === false) this.#problem(path, peer, ours);
    } else if (Array.isArray(peer)) this.#compareLists(peer, ours, path);
    else if (typeof peer === 'object' && peer !== null) this.#compareFields(peer, ours, path);
    else if (STEP.test(path)) this.#compareName(`step ${peer}`, ours, path);
    else if (typeof peer === 'string' && /#\d+/.test(peer)) this.#compareName(peer, ours, path);
    else if (peer === '<time>' ? !isTime(ours) : peer !== ours) this.#problem(path, peer, ours);
  }

  #compareLists(peer: readonly unknown[], ours: unknown, path: string): void {
    if (!Array.isArray(ours) || ours.length !== peer.length) this.#problem(path, peer, ours);
    else for (const [index, item] of peer.entries()) this.compare(item, ours[index], `${path}[${index}]`);
  }

  #compareFields(peer: object, ours: unknown, path: string): void {
    if (typeof ours !== 'object' || ours === null) this.#problem(path, peer, ours);
    else {
      const known = new Map<string, unknown>(Object.entries(ours));
      for (const [key, value] of Object.entries(peer)) this.compare(value, known.get(key), `${path}.${key}`);
    }
  }

  #compareName(peer: string, ours: unknown, path: string): void {
    const known = this.#ids.get(peer) ?? ours;
    this.#ids.set(peer, known);
    if (ours === undefined || ours === null || ours !== known) this.#problem(path, peer, ours);
  }

  #problem(path: string, peer: unknown, ours: unknown): void {
    this.problems.push(`${path}: the peer has ${JSON.stringify(peer)}, we have ${JSON.stringify(ours)}`);
  }
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
