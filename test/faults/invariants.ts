// The invariants of an idle thread, whatever died, hung or happened twice.
import type { LogEvent } from '../../src/runs/log/log-event.ts';
import type { RunEventRecord } from '../../src/storage/run-events.ts';
import { isTerminal, type RunStatus } from '../../src/storage/runs.ts';
import type { EffectLine } from './effect-tools.ts';

export interface RunEvidence {
  readonly runId: string;
  readonly status: RunStatus;
  readonly stopReason: string | null;
  readonly attempt: number;
  readonly totalTokens: number;
  readonly llmCallCount: number;
  /** The rows of the run's stream, in order. */
  readonly rows: readonly {
    readonly firstSeq: number;
    readonly lastSeq: number;
    readonly events: readonly LogEvent[];
  }[];
}

export interface MessageEvidence {
  readonly id: string;
  readonly type: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
  readonly status?: string;
  readonly name?: string | null;
}

export interface ThreadEvidence {
  readonly threadId: string;
  readonly status: string;
  readonly runs: readonly RunEvidence[];
  readonly events: readonly RunEventRecord[];
  /** The sum of the deltas from the root to the head. */
  readonly folded: readonly MessageEvidence[];
}

export interface ReadEvidence {
  readonly runId: string;
  /**
   * The frames that a client received over all its connections, and those that a reader from the start gets
   * now.
   */
  readonly received: readonly { readonly id: string; readonly event: string; readonly data: unknown }[];
  readonly replayed: readonly { readonly id: string; readonly event: string; readonly data: unknown }[];
}

/** Returns one sentence for every violated invariant. */
export function brokenInvariants(
  thread: ThreadEvidence,
  readers: readonly ReadEvidence[],
  effects: readonly EffectLine[],
): readonly string[] {
  return [
    ...brokenNumbers(thread),
    ...readers.flatMap(brokenReading),
    ...thread.runs.flatMap((run) => [
      ...brokenStream(run),
      ...brokenEnd(thread, run),
      ...brokenTotals(thread, run),
    ]),
    ...brokenThread(thread),
    ...brokenCalls(thread),
    ...brokenRecord(thread),
    ...brokenEffects(effects),
  ];
}

/** I1: the record of a thread is numbered 1, 2, 3 ... */
function brokenNumbers({ events }: ThreadEvidence): readonly string[] {
  const wrong = events.find(({ seq }, index) => seq !== index + 1);
  return wrong === undefined ? [] : [`I1: there is a hole before event ${wrong.seq}`];
}

/** I1 for the stream: rows follow one another without a hole, and have as many events as they claim. */
function brokenStream({ runId, rows }: RunEvidence): readonly string[] {
  let last = 0;
  for (const { firstSeq, lastSeq, events } of rows) {
    if (firstSeq !== last + 1) return [`I1: run ${runId} has a hole between ${last} and ${firstSeq}`];
    if (events.length !== lastSeq - firstSeq + 1)
      return [`I1: run ${runId} miscounts the row at ${firstSeq}`];
    last = lastSeq;
  }
  return [];
}

/** I2 and I12: the received frames are those that exist, each once, in order, up to the one end. */
function brokenReading({ runId, received, replayed }: ReadEvidence): readonly string[] {
  const differs = replayed.findIndex(
    (frame, index) => JSON.stringify(frame) !== JSON.stringify(received[index]),
  );
  if (differs !== -1 || received.length !== replayed.length) {
    const at = differs === -1 ? replayed.length : differs;
    return [
      `I2: a reader of run ${runId} got ${JSON.stringify(received[at])} at frame ${at}, where ${JSON.stringify(replayed[at])} is`,
    ];
  }
  const ends = received.filter(({ event }) => event === 'end').length;
  return ends === 1 && received.at(-1)?.event === 'end'
    ? []
    : [`I12: a reader of run ${runId} saw ${ends} ends`];
}

/** I3: one end in the stream and in the record, and the row agrees. */
function brokenEnd(
  { events }: ThreadEvidence,
  { runId, status, rows, stopReason }: RunEvidence,
): readonly string[] {
  const broken: string[] = [];
  if (!isTerminal(status)) broken.push(`I3: run ${runId} is still ${status}`);
  const log = rows.flatMap((row) => row.events);
  const ends = log.filter((event) => event.type === 'end');
  const [end] = ends;
  // A run that ended before any worker claimed it has no log.
  if (log.length > 0 && (ends.length !== 1 || log.at(-1)?.type !== 'end'))
    broken.push(`I3: the stream of run ${runId} has ${ends.length} ends, or something after it`);
  if (end !== undefined && (end.status !== status || end.stopReason !== stopReason))
    broken.push(`I3: the stream of run ${runId} says ${end.status}, its row ${status}`);
  const recorded = events.filter(
    (it) => it.runId === runId && (it.eventType === 'run_end' || it.eventType === 'run_error'),
  );
  if (log.length > 0 && recorded.length !== 1)
    broken.push(`I3: the record of run ${runId} has ${recorded.length} ends`);
  return broken;
}

/** I9: totals are the sums over the responses of the model. */
function brokenTotals({ events }: ThreadEvidence, run: RunEvidence): readonly string[] {
  const answers = events.filter((it) => it.runId === run.runId && it.eventType === 'llm_response');
  const tokens = answers.reduce((sum, { metadata }) => sum + tokensOf(metadata.usage), 0);
  const counted = tokens === run.totalTokens && answers.length === run.llmCallCount;
  return counted
    ? []
    : [
        `I9: run ${run.runId} counts ${run.llmCallCount} calls, ${run.totalTokens} tokens; its record ${answers.length}, ${tokens}`,
      ];
}

function tokensOf(usage: unknown): number {
  const hasTotal = typeof usage === 'object' && usage !== null && 'total_tokens' in usage;
  return hasTotal && typeof usage.total_tokens === 'number' ? usage.total_tokens : 0;
}

/** I4, at rest: no run is active, and the status of the thread agrees. */
function brokenThread({ threadId, status, runs }: ThreadEvidence): readonly string[] {
  const active = runs.some((run) => !isTerminal(run.status));
  return active || status !== 'busy' ? [] : [`I4: thread ${threadId} is busy with nothing`];
}

/** I6: between a model's message and the next one every call has exactly one result. */
function brokenCalls({ folded }: ThreadEvidence): readonly string[] {
  return folded.flatMap((message, index) => {
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return [];
    const rest = folded.slice(index + 1);
    const until = rest.findIndex(({ type }) => type !== 'tool');
    const results = (until === -1 ? rest : rest.slice(0, until)).map((it) => it.tool_call_id);
    return calls
      .filter(({ id }) => results.filter((it) => it === id).length !== 1)
      .map(({ id }) => `I6: call ${id} has ${results.filter((it) => it === id).length} results`);
  });
}

/** I5 and I8: the state and the record have the same messages, each once. */
function brokenRecord({ folded, events, runs }: ThreadEvidence): readonly string[] {
  const recorded = recordedMessages(events);
  const differing = folded.flatMap(({ id, content }) => {
    const texts = recorded.filter((it) => it.id === id).map((it) => JSON.stringify(it.content));
    if (texts.length !== 1) return [`I5: message ${id} is recorded ${texts.length} times`];
    return texts[0] === JSON.stringify(content) ? [] : [`I8: message ${id} is recorded differently`];
  });
  const ids = new Set(folded.map(({ id }) => id));
  const succeeded = new Set(runs.filter(({ status }) => status === 'success').map(({ runId }) => runId));
  const missing = recorded.filter(({ id, runId }) => succeeded.has(runId) && !ids.has(id));
  return [
    ...differing,
    ...(ids.size === folded.length ? [] : ['I8: a message is in the state twice']),
    ...missing.map(({ id }) => `I8: message ${id} of a run that succeeded is not in the state`),
  ];
}

function recordedMessages(events: ThreadEvidence['events']) {
  return events.flatMap(({ category, content, runId }) =>
    category === 'message' && isMessage(content) ? [{ id: content.id, content: content.content, runId }] : [],
  );
}

function isMessage(content: unknown): content is { readonly id: string; readonly content: unknown } {
  return typeof content === 'object' && content !== null && 'id' in content && 'content' in content;
}

/** I7: effects of kind `once` happened once. */
function brokenEffects(effects: readonly EffectLine[]): readonly string[] {
  const once = effects
    .filter(({ tool }) => tool === 'send')
    .map(({ threadId, callId }) => `${threadId} ${callId}`);
  const twice = once.filter((call, index) => once.indexOf(call) !== index);
  return twice.map((call) => `I7: ${call} took effect twice`);
}
