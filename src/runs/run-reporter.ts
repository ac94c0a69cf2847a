// Writes down what one attempt of a run reports: log events, run events, checkpoints, totals.
import type { AgentEvent, ModelCallStart, StateChange, ToolEnd } from '../agent/agent-event.ts';
import { isEmptyDelta, type StateDelta, type ThreadState } from '../messages/thread-state.ts';
import type { NewRunEvent } from '../storage/run-events.ts';
import type { RunRecord, RunTotals } from '../storage/runs.ts';
import { type FoldedCheckpoint, NO_CHECKPOINT, type ThreadStates } from '../storage/thread-states.ts';
import { closingResults } from './closing-results.ts';
import { createJournal, type Journal, lifecycleEvent } from './journal.ts';
import type { LogEvent } from './log-event.ts';
import { editedCalls, outputOf } from './log-facts.ts';
import { BEFORE_INPUT } from './require-checkpoint.ts';
import { type RunEnding, threadStatusAfter } from './run-ending.ts';
import type { RunReport, RunWriter } from './run-writer.ts';
import type { StartingPoint } from './starting-point.ts';
import type { EarlierAttempts } from './unfinished-step.ts';
import { withMessages, withModelCall } from './usage.ts';

export interface RunReporterParts {
  readonly run: RunRecord;
  readonly writer: RunWriter;
  readonly states: ThreadStates;
  readonly traceLimitBytes: number;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Holds what folds up over the events of the attempt: the checkpoint it stands at and the totals so far. */
export class RunReporter {
  readonly #parts: RunReporterParts;
  readonly #journal: Journal;
  #at: FoldedCheckpoint = NO_CHECKPOINT;
  #next: readonly string[] = [];
  /** The last step stopped to ask the person. */
  #asks = false;
  /** Absent while the attempt does not stand anywhere. */
  #baseId: string | null | undefined;
  /** What the step that is going on has brought so far. */
  #begun: BegunStep = nothingBegun();
  #totals: RunTotals;

  constructor(parts: RunReporterParts) {
    const { run, traceLimitBytes, now } = parts;
    this.#parts = parts;
    this.#totals = run.totals;
    this.#journal = createJournal({ traceLimitBytes, modelCallsBefore: run.totals.llmCallCount, now });
  }

  get state(): ThreadState {
    return this.#at.state;
  }

  /** The number that the next step gets. */
  get step(): number {
    return this.#at.step + 1;
  }

  /** The first word of the attempt. A message that a lost attempt had begun is void until it is written again. */
  begin(earlier: EarlierAttempts): void {
    const { run, now } = this.#parts;
    const events: { event: LogEvent }[] = [];
    if (earlier.attempt !== run.attempt) events.push({ event: { type: 'attempt', attempt: run.attempt } });
    const { messageId, toolEnds, startedCallIds } = earlier.unfinished;
    this.#begun = { toolEnds: [...toolEnds], startedCallIds: new Set(startedCallIds) };
    if (messageId !== undefined) events.push({ event: { type: 'message_restart', messageId } });
    const record = earlier.lastSeq === 0 ? [lifecycleEvent('run_start', { metadata: {} }, now())] : [];
    this.#append({ events, record });
  }

  /** Stands at the checkpoint that the attempt starts from, with its input applied. */
  stand(start: Exclude<StartingPoint, { kind: 'unusable' }>): void {
    this.#at = start.base;
    this.#baseId = start.kind === 'recover' ? this.#parts.run.baseCheckpointId : start.base.checkpointId;
    if (start.kind === 'recover') {
      this.#next = [start.node];
      return;
    }
    const { checkpointId } = start.base;
    if (checkpointId === null) this.#layGround();
    else this.#append({ run: { baseCheckpointId: checkpointId } });
    const next = start.kind === 'continue' ? [start.node] : ['model'];
    if (start.kind === 'input' || !isEmptyDelta(start.delta)) this.#applyInput(start.delta, next);
    else if (checkpointId !== null) this.#showState(checkpointId, next);
  }

  /** A checkpoint before the first message, so that clients can go back there and ask something else. */
  #layGround(): void {
    const { run, states, newId, now } = this.#parts;
    const made = states.extend(this.#at, {
      checkpointId: newId(),
      runId: run.runId,
      source: 'input',
      node: null,
      delta: { messages: [], values: {} },
      next: [BEFORE_INPUT],
      tasks: [],
      metadata: {},
      now: now(),
    });
    this.#at = made.folded;
    this.#append({ checkpoint: made.row });
  }

  #applyInput(delta: StateDelta, next: readonly string[]): void {
    const taskId = this.#parts.newId();
    this.#changeState({ type: 'state', source: 'input', node: null, taskId, delta, next, tasks: [] }, []);
  }

  /** Readers of `values` see the state that the run goes on from. */
  #showState(checkpointId: string, next: readonly string[]): void {
    const { newId } = this.#parts;
    const { step } = this.#at;
    const shown: LogEvent = {
      type: 'state',
      checkpointId,
      parentId: null,
      source: 'input',
      node: null,
      step,
      taskId: newId(),
      next,
    };
    this.#append({ events: [{ event: shown, delta: { messages: [], values: {} } }] });
  }

  /** Writes an event down. A promise: the agent must not go on before it resolves. */
  report(event: AgentEvent): Promise<void> | undefined {
    const record = this.#journal.record(event);
    switch (event.type) {
      case 'text_delta':
      case 'reasoning_delta':
      case 'tool_call_delta':
      case 'message_end':
      case 'message_restart':
      case 'custom':
        this.#append({ events: [{ event }], record });
        return this.#parts.writer.room();
      case 'step_start':
        this.#append({ events: [{ event: { ...event, ...this.#standing() } }], record });
        return this.#parts.writer.room();
      case 'tool_end':
        this.#begun.toolEnds.push(event);
        this.#append({ events: [{ event }], record });
        return this.#parts.writer.room();
      case 'tools_start': {
        const callIds = event.calls.map(({ call }) => call.id);
        for (const callId of callIds) this.#begun.startedCallIds.add(callId);
        const edited = editedCalls(event, this.#at.state);
        this.#append({
          events: [{ event: { type: 'tools_start', callIds, ...edited, ...this.#standing() } }],
          record,
        });
        return event.calls.some(({ effect }) => effect !== 'read') ? this.durable() : undefined;
      }
      case 'state':
        this.#changeState(event, record);
        return event.next.length > 0 ? this.durable() : undefined;
      case 'model_call_end':
        this.#totals = withModelCall(this.#totals, event);
        this.#append({ record, run: { totals: this.#totals } });
        return undefined;
      case 'model_call_start':
        this.#append({ events: this.#modelStart(event), record });
        return undefined;
      case 'model_call_failed':
      case 'middleware':
        this.#append({ record });
        return undefined;
      case 'finish':
        return undefined;
      default:
        return event satisfies never;
    }
  }

  #standing(): { readonly checkpointId?: string } {
    const { checkpointId } = this.#at;
    return checkpointId === null ? {} : { checkpointId };
  }

  /** Calls of a middleware are its own affair. */
  #modelStart({ caller, messageId }: ModelCallStart): readonly { readonly event: LogEvent }[] {
    const { checkpointId } = this.#at;
    if (checkpointId === null || caller.startsWith('middleware:')) return [];
    return [{ event: { type: 'model_start', messageId, checkpointId } }];
  }

  durable(): Promise<void> {
    return this.#parts.writer.durable();
  }

  /** What was still to be done is not: clients must not take the run for one that waits. */
  #close(ending: RunEnding): void {
    const keepsOpen = ending.stopReason === 'awaiting_input' || ending.stopReason === 'rolled_back';
    if (this.#next.length === 0 || keepsOpen) return;
    const { newId } = this.#parts;
    const taskId = newId();
    const results = closingResults(this.#at.state.messages, this.#begun, newId);
    const node = results.length > 0 ? 'tools' : null;
    if (node !== null)
      this.#append({
        events: [{ event: { type: 'step_start', node, step: this.step, taskId, ...this.#standing() } }],
      });
    for (const { end, isKnown } of results) {
      if (!isKnown) this.#append({ events: [{ event: end }], record: this.#journal.record(end) });
    }
    const delta: StateDelta = {
      messages: results.map(({ end }) => end.message),
      values: Object.assign({}, ...results.map(({ end }) => end.values)),
    };
    this.#changeState({ type: 'state', source: 'loop', node, taskId, delta, next: [], tasks: [] }, []);
  }

  /** The last word: everything that a client may read after `end` is in the same transaction as `end`. */
  async end(ending: RunEnding): Promise<void> {
    const { now } = this.#parts;
    const { status, stopReason, failure } = ending;
    this.#close(ending);
    const title = this.#at.state.values.title;
    const events: { event: LogEvent }[] = [{ event: { type: 'end', status, stopReason } }];
    if (failure !== undefined) events.unshift({ event: { type: 'error', ...failure } });
    const output = outputOf(ending, { at: this.#at, next: this.#next, asks: this.#asks });
    if (output !== undefined) events.unshift({ event: output });
    this.#append({
      events,
      record: [endEvent(ending, now())],
      run: {
        status,
        stopReason,
        ...(failure === undefined ? {} : { error: failure.message }),
        finishedAt: now(),
        totals: this.#totals,
      },
      thread: {
        status: threadStatusAfter(status),
        ...(typeof title === 'string' ? { displayName: title } : {}),
        ...(stopReason === 'rolled_back' && this.#baseId !== undefined
          ? { headCheckpointId: this.#baseId }
          : {}),
      },
    });
    await this.durable();
  }

  close(): void {
    this.#parts.writer.close();
  }

  #changeState(change: StateChange, record: readonly NewRunEvent[]): void {
    const { run, states, newId, now } = this.#parts;
    const { source, node, taskId, delta, next, tasks } = change;
    const checkpointId = newId();
    const parentId = this.#at.checkpointId;
    const made = states.extend(this.#at, {
      checkpointId,
      runId: run.runId,
      source,
      node,
      delta,
      next,
      tasks,
      metadata: {},
      now: now(),
    });
    this.#at = made.folded;
    this.#next = next;
    this.#asks = tasks.length > 0;
    this.#begun = nothingBegun();
    this.#totals = withMessages(this.#totals, delta.messages.filter((it) => it.type !== 'remove').length);
    const event: LogEvent = {
      type: 'state',
      checkpointId,
      parentId,
      source,
      node,
      step: made.folded.step,
      taskId,
      next,
      ...(tasks.length === 0 ? {} : { interrupts: tasks.flatMap(({ interrupts }) => interrupts) }),
    };
    this.#append({
      events: [{ event, delta }],
      record,
      checkpoint: made.row,
      run: { totals: this.#totals },
      thread: { headCheckpointId: checkpointId },
    });
  }

  #append(report: RunReport): void {
    this.#parts.writer.append(report);
  }
}

interface BegunStep {
  readonly toolEnds: ToolEnd[];
  readonly startedCallIds: Set<string>;
}

function nothingBegun(): BegunStep {
  return { toolEnds: [], startedCallIds: new Set() };
}

function endEvent({ status, stopReason, failure }: RunEnding, createdAt: number): NewRunEvent {
  const metadata = { status, stop_reason: stopReason };
  if (failure === undefined) return lifecycleEvent('run_end', { metadata }, createdAt);
  return lifecycleEvent(
    'run_error',
    { content: failure.message, metadata: { ...metadata, error_type: failure.error } },
    createdAt,
  );
}
