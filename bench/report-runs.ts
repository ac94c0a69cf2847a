// The figures of joining, cancelling and taking up runs again, as a section of the page and as targets.
import type { CancelFigures } from './cancel.ts';
import type { FirstRunsFigures } from './first-runs.ts';
import type { JoinFigures } from './join.ts';
import type { RecoveryFigures, RestartFigures } from './recovery.ts';
import { atMost, number, type Target } from './report-table.ts';
import type { WaitingFigures } from './waiting-runs.ts';

export interface RunFigures {
  readonly join: JoinFigures;
  readonly cancel: CancelFigures;
  readonly recovery: RecoveryFigures;
  /** From the slowest pace that is configured to the fastest; empty when it was left out. */
  readonly restarts: readonly RestartFigures[];
  readonly first: FirstRunsFigures;
  /** Absent when it was left out. */
  readonly waiting: WaitingFigures | undefined;
}

export function runsSection({ join, cancel, recovery, restarts, first, waiting }: RunFigures): string {
  const lines = [
    `Joining a run of ${number(join.events)} tokens, each a frame, in ${number(join.logged)} events of its log, from the request to the last frame: ended ${number(join.endedFirst)} ms as the first thing after a start of the service and ${number(join.endedAgain)} ms then, running ${number(join.runningFirst)} and ${number(join.runningAgain)} ms.`,
    `${cancel.cancels} cancels of runs that stream and ${cancel.cancels} of runs whose model says nothing, from the request to the end of the stream: p50 ${number(cancel.streamingMedian)} and ${number(cancel.silentMedian)} ms, p99 ${number(cancel.streamingP99)} and ${number(cancel.silentP99)} ms.`,
    `${recovery.runs} streaming runs, kill -9, start: from the start of the process to a new token at the reader p50 ${number(recovery.median)} ms, the last one ${number(recovery.last)} ms.`,
    ...restarts.map(restartLine),
    `The first ${first.runs} runs of ${first.tokens} tokens after a start take ${number(first.firstMilliseconds)} ms of CPU each, those of a warm process ${number(first.warmMilliseconds)} ms.`,
    ...(waiting === undefined ? [] : [waitingLine(waiting)]),
  ];
  return lines.join('\n\n');
}

function restartLine(it: RestartFigures): string {
  return `${number(it.runs)} running runs, kill -9, start, ${number(it.resumePerSecond)} taken up a second: the model was asked by all of them after ${number(it.resumedSeconds)} s and had answered all of them, each for ten seconds, after ${number(it.endedSeconds)} s; ${number(it.mostRequestsInASecond)} requests in the busiest second, ${number(it.mostRequestsOpen)} open at the most, ${number(it.peakMegabytes)} MB at the peak.`;
}

function waitingLine({ runs, kilobytesPerRun, liveKilobytesPerRun }: WaitingFigures): string {
  return `${number(runs)} runs that wait for their model: ${number(kilobytesPerRun)} KB of resident memory each, ${number(liveKilobytesPerRun)} KB of it live after a collection.`;
}

export function runTargets({
  join,
  cancel,
  recovery,
  restarts,
  first,
  waiting,
}: RunFigures): readonly Target[] {
  const slowestJoin = Math.max(join.endedFirst, join.endedAgain, join.runningFirst, join.runningAgain);
  return [
    atMost('joining a run of 10,000 events, slowest way, ms', 300, slowestJoin),
    atMost('cancel to end, p99, ms', 1_000, Math.max(cancel.streamingP99, cancel.silentP99)),
    atMost('start to a new token of a killed run, last one, ms', 5_000, recovery.last),
    atMost('restart with 1,000 running runs, all resumed, s', 10, restarts.at(-1)?.resumedSeconds),
    atMost('restart with 1,000 running runs, memory, MB', 1_000, restarts.at(-1)?.peakMegabytes),
    atMost('CPU of a run of 50 tokens, warm process, ms', 0.8, first.warmMilliseconds),
    atMost('CPU of a run among the first 200, / warm', 1.3, first.firstMilliseconds / first.warmMilliseconds),
    atMost('memory of a run that waits for its model, KB', 64, waiting?.kilobytesPerRun),
  ];
}
