// The files of threads over time: takes, compares, restores and removes points.
import { randomUUID } from 'node:crypto';
import { notFound } from '../../errors.ts';
import type { WorkspacePlace } from '../paths.ts';
import type { DiskUseOf } from '../quota/disk-use.ts';
import { createSerialQueue } from '../serial-queue.ts';
import { compareTrees, type FileChanges, NO_CHANGES } from './compare-trees.ts';
import { type ObjectStore, openObjectStore } from './object-store.ts';
import { type Point, type PointContent, type TreeEntry, toTree } from './point.ts';
import { type Restored, restoreTree } from './restore-tree.ts';
import type { SnapshotOptions } from './snapshot-options.ts';
import { countedOn, noteStoredBytes, takeTree } from './take-tree.ts';

/** A moment in time: the number of a point, a run (before it started), or a checkpoint and its time. */
export type Moment =
  | { readonly kind: 'point'; readonly number: number }
  | { readonly kind: 'before_run'; readonly runId: string }
  | { readonly kind: 'checkpoint'; readonly checkpointId: string; readonly createdAt: number };

interface Restoring extends Restored {
  /** The number of the point with the files from before the restore. */
  readonly before: number;
}

export interface Snapshots {
  /**
   * Takes a point. `undefined` when the thread has too many files, or has neither files nor points yet; a
   * `run_start` is taken even then.
   */
  take(place: WorkspacePlace, about: PointAbout): Promise<Point | undefined>;
  /** True when a point was taken before the run's first tool with an effect. */
  hasBefore(place: WorkspacePlace, runId: string): Promise<boolean>;
  /** True when there is a point for that moment. */
  knows(place: WorkspacePlace, moment: Moment): Promise<boolean>;
  /** Returns what the run changed; nothing when it ran no tool with an effect. */
  changesOf(place: WorkspacePlace, runId: string): Promise<FileChanges>;
  /**
   * Restores the files of that moment. Throws `not_found` when there is no point for it, and
   * `payload_too_large` or `insufficient_storage`, without any change, when they would take too much.
   */
  restore(place: WorkspacePlace, moment: Moment): Promise<Restoring>;
}

type PointAbout = Pick<PointContent, 'kind' | 'runId' | 'checkpointId'>;

interface SnapshotParts {
  readonly dataHome: string;
  readonly diskUseOf: DiskUseOf;
  readonly options: SnapshotOptions;
  readonly now: () => number;
  readonly newId?: () => string;
}

const DAY_MS = 86_400_000;
/** Collecting reads all trees, so it waits until this many points may go. */
const COLLECTED_AT_ONCE = 10;

export function createSnapshots(parts: SnapshotParts): Snapshots {
  const { dataHome, newId = randomUUID } = parts;
  const queue = createSerialQueue();
  const access = (place: WorkspacePlace): Access => {
    return { ...parts, newId, place, store: openObjectStore({ dataHome, place, newId }) };
  };
  const serially = <Result>(place: WorkspacePlace, work: (at: Access) => Promise<Result>) => {
    const at = access(place);
    return queue.run(at.store.folder, () => work(at));
  };
  return {
    take: (place, about) => serially(place, (at) => takePoint(at, about)),
    hasBefore: async (place, runId) =>
      (await access(place).store.points()).some((it) => it.kind === 'run_start' && it.runId === runId),
    knows: async (place, moment) => pointOf(await access(place).store.points(), moment) !== undefined,
    async changesOf(place, runId) {
      const { store } = access(place);
      const points = (await store.points()).filter((it) => it.runId === runId);
      const before = points.find(({ kind }) => kind === 'run_start');
      const after = points.findLast(({ kind }) => kind === 'run_end');
      if (before === undefined || after === undefined) return NO_CHANGES;
      return compareTrees(store, await treeOf(store, before), await treeOf(store, after));
    },
    restore: (place, moment) => serially(place, (at) => restoreMoment(at, moment)),
  };
}

interface Access extends Required<SnapshotParts> {
  readonly place: WorkspacePlace;
  readonly store: ObjectStore;
}

async function treeOf(store: ObjectStore, { tree }: Point): Promise<readonly TreeEntry[]> {
  return toTree((await store.read(tree)).toString());
}

async function takePoint(at: Access, about: PointAbout): Promise<Point | undefined> {
  const { store, now } = at;
  const points = await store.points();
  const tree = await takeTree(at);
  if (tree === undefined || (tree.length === 0 && points.length === 0 && about.kind !== 'run_start'))
    return undefined;
  const hash = await store.putBytes(Buffer.from(JSON.stringify(tree)));
  const number = (points.at(-1)?.number ?? 0) + 1;
  // Comes last, because the point exists from here on.
  const point = await store.addPoint({ version: 1, ...about, createdAt: now(), tree: hash }, number);
  await forgetOld(at, [...points, point]);
  return point;
}

async function forgetOld({ store, options, now }: Access, points: readonly Point[]): Promise<void> {
  const oldest = now() - options.days * DAY_MS;
  const firstKept = points.length - options.keep;
  const old = points
    .filter((it, index) => index < firstKept || it.createdAt < oldest)
    .slice(0, points.length - 1);
  if (old.length < Math.min(COLLECTED_AT_ONCE, options.keep)) return;
  const used = new Set<string>(await countedOn(store));
  for (const point of points) {
    if (old.includes(point)) continue;
    used.add(point.tree);
    for (const { sha256 } of await treeOf(store, point)) if (sha256 !== null) used.add(sha256);
  }
  for (const point of old) await store.removePoint(point);
  await noteStoredBytes(store, await store.collect(used));
}

async function restoreMoment(at: Access, moment: Moment): Promise<Restoring> {
  const { store } = at;
  const target = pointOf(await store.points(), moment);
  if (target === undefined) throw notFound('A snapshot of that point');
  const to = await treeOf(store, target);
  const { runId, checkpointId } = target;
  const before = await takePoint(at, { kind: 'before_restore', runId: null, checkpointId: null });
  if (before === undefined) throw notFound('A snapshot of that point');
  const diskUse = at.diskUseOf(at.place);
  const restored = await restoreTree({ ...at, diskUse, from: await treeOf(store, before), to });
  diskUse.changed();
  const asked = moment.kind === 'checkpoint' ? moment.checkpointId : checkpointId;
  await takePoint(at, { kind: 'restored', runId, checkpointId: asked });
  return { ...restored, before: before.number };
}

function pointOf(points: readonly Point[], moment: Moment): Point | undefined {
  switch (moment.kind) {
    case 'point':
      return points.find(({ number }) => number === moment.number);
    case 'before_run':
      return points.find(({ kind, runId }) => kind === 'run_start' && runId === moment.runId);
    case 'checkpoint':
      return pointOfCheckpoint(points, moment);
  }
}

/**
 * Returns the point of the checkpoint, or the last one that is not later. When the next one was taken before
 * a run changed anything, returns that one: it has what people added in between, which a branch must not
 * lose.
 */
function pointOfCheckpoint(
  points: readonly Point[],
  { checkpointId, createdAt }: Extract<Moment, { readonly kind: 'checkpoint' }>,
): Point | undefined {
  const exact = points.findIndex((it) => it.kind === 'run_end' && it.checkpointId === checkpointId);
  const at = exact === -1 ? points.findLastIndex((it) => it.createdAt <= createdAt) : exact;
  const next = points[at + 1];
  return next?.kind === 'run_start' || next?.kind === 'before_restore' ? next : points[at];
}
