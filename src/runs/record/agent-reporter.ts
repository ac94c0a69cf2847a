// Records the position of one agent of a run: the lead agent, or a sub-agent in its namespace.
import type { BegunStep } from '../../agent/agent.ts';
import type {
  MiddlewareTrace,
  ModelCallEnd,
  ModelCallFailed,
  ModelCallStart,
  ModelCallSwitched,
  OwnEvent,
  StateChange,
  StepStart,
  ToolEnd,
  ToolsStart,
} from '../../agent/agent-event.ts';
import { LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import type { ToolCall } from '../../messages/message.ts';
import type { MessageChange } from '../../messages/message-changes.ts';
import { type Fold, NO_CHANGE, type ThreadState } from '../../messages/thread-state.ts';
import type { NewCheckpoint } from '../../storage/checkpoints.ts';
import type { NewRunEvent } from '../../storage/run-events.ts';
import type { RunRecord } from '../../storage/runs.ts';
import {
  type FoldedCheckpoint,
  NO_CHECKPOINT,
  stateBytes,
  type ThreadStates,
} from '../../storage/thread-states.ts';
import type { AgentLogEvent, LogEvent } from '../log/log-event.ts';
import type { RunReport, RunWriter } from '../log/run-writer.ts';
import { messageRevisions } from './message-revisions.ts';
import type { AgentPosition } from './run-end.ts';

export interface AgentReporterParts {
  readonly run: RunRecord;
  readonly writer: RunWriter;
  readonly states: ThreadStates;
  readonly now: () => number;
  readonly newId: () => string;
  /** Called when the row of a new background task is durable. */
  readonly onTaskBegun?: () => void;
}

/** A change by the agent. If the service itself changes the state, the change is not folded yet. */
export type ReportedChange = Omit<StateChange, 'fold'> & { readonly fold?: Fold };

type AlongWith = Pick<RunReport, 'events' | 'record' | 'run'>;

/** Holds the agent's current checkpoint, and what the current step has brought so far. */
export class AgentReporter {
  readonly #parts: AgentReporterParts;
  readonly #namespace: string;
  #at: FoldedCheckpoint;
  #next: readonly string[] = [];
  #asks = false;
  #begun: BegunCalls = nothingBegun();
  #awaitsWord = false;

  constructor(parts: AgentReporterParts, namespace: string) {
    this.#parts = parts;
    this.#namespace = namespace;
    // A thread has a checkpoint before its first input, a sub-agent has none. The input is step 0 of both.
    this.#at = namespace === LEAD_NAMESPACE ? NO_CHECKPOINT : { ...NO_CHECKPOINT, step: -1 };
  }

  get checkpointId(): string | null {
    return this.#at.checkpointId;
  }

  get state(): ThreadState {
    return this.#at.state;
  }

  get stateBytes(): number {
    return stateBytes(this.#at);
  }

  /** The number of the next step. */
  get step(): number {
    return this.#at.step + 1;
  }

  /** The nodes that are still to run; empty when nothing remains to be done. */
  get next(): readonly string[] {
    return this.#next;
  }

  /** The agent's position when the run comes to rest. */
  get position(): AgentPosition {
    return { at: this.#at, next: this.#next, asks: this.#asks };
  }

  get begun(): Pick<BegunStep, 'toolEnds' | 'startedCallIds'> {
    return this.#begun;
  }

  /** Takes over what an earlier attempt began. A message that it began is void until it is written again. */
  takeUp({ messageId, toolEnds, startedCallIds }: BegunStep): void {
    this.#begun = { toolEnds: [...toolEnds], startedCallIds: new Set(startedCallIds), edited: [] };
    if (messageId !== undefined) this.append({ type: 'message_restart', messageId });
  }

  resumeAt(at: FoldedCheckpoint, next: readonly string[]): void {
    this.#at = at;
    this.#next = next;
  }

  /** Writes a checkpoint that is no step of the agent and shows nothing. */
  layCheckpoint(next: readonly string[]): void {
    const change = { source: 'input', node: null, delta: NO_CHANGE, next, tasks: [] } as const;
    this.#parts.writer.append({ checkpoint: this.#extend(change).row });
  }

  /** Writes an event. If this returns a promise, the agent must not continue before it resolves. */
  report(event: ReportedEvent, record: readonly NewRunEvent[]): Promise<void> | undefined {
    switch (event.type) {
      case 'tool_end':
        this.#endTool(event, record);
        return this.#parts.writer.capacity();
      case 'tools_start': {
        const callIds = event.calls.map(({ call }) => call.id);
        for (const callId of callIds) this.#begun.startedCallIds.add(callId);
        const edited = editedCalls(event, this.#at.state);
        this.#begun.edited.push(...edited);
        const changed = edited.length === 0 ? {} : { edited };
        this.append({ type: 'tools_start', callIds, ...changed, ...this.#given() }, record);
        return event.calls.some(({ effect }) => effect !== 'read') ? this.#parts.writer.durable() : undefined;
      }
      case 'step_start':
        this.startStep(event, record);
        return this.#parts.writer.capacity();
      case 'model_call_start':
        this.#awaitsWord = true;
        this.#startModel(event, record);
        return undefined;
      default:
        this.append(event, record);
        this.#hurryFirstWord();
        return this.#parts.writer.capacity();
    }
  }

  /** People wait for this event more than for any other. */
  #hurryFirstWord(): void {
    if (this.#awaitsWord) this.#parts.writer.hurry();
    this.#awaitsWord = false;
  }

  #endTool({ begins, ...event }: ToolEnd, record: readonly NewRunEvent[]): void {
    this.#begun.toolEnds.push(event);
    const { tool_call_id: callId } = event.message;
    const edited = this.#begun.edited.find(({ id }) => id === callId);
    const end = { ...event, ...this.#given(), ...(edited === undefined ? {} : { edited }) };
    const backgroundTask = begins && { ...begins, callId };
    const along = { record, ...(backgroundTask && { backgroundTask }) };
    const { writer, onTaskBegun } = this.#parts;
    writer.append({ events: [{ event: this.named(end) }], ...along });
    // A lost run has reported nothing.
    if (backgroundTask !== undefined && onTaskBegun !== undefined)
      void writer.durable().then(onTaskBegun, () => {});
  }

  startStep(event: StepStart, record: readonly NewRunEvent[] = []): void {
    this.append({ ...event, ...this.#given() }, record);
  }

  /** Model calls of a middleware are recorded, but not shown. */
  #startModel({ caller, messageId }: ModelCallStart, record: readonly NewRunEvent[]): void {
    const { checkpointId } = this.#at;
    if (checkpointId === null || caller.startsWith('middleware:')) this.#parts.writer.append({ record });
    else this.append({ type: 'model_start', messageId, checkpointId }, record);
  }

  #given(): { readonly checkpointId?: string } {
    const { checkpointId } = this.#at;
    return checkpointId === null ? {} : { checkpointId };
  }

  changeState(change: ReportedChange, along: AlongWith): void {
    const { source, node, taskId, delta, next, tasks } = change;
    const parentId = this.#at.checkpointId;
    const { row: checkpoint, changes } = this.#extend(change);
    const { checkpointId, step } = checkpoint;
    this.#next = next;
    this.#asks = tasks.length > 0;
    this.#begun = nothingBegun();
    const asks = tasks.length === 0 ? {} : { interrupts: tasks.flatMap(({ interrupts }) => interrupts) };
    const event = {
      type: 'state',
      checkpointId,
      parentId,
      source,
      node,
      step,
      taskId,
      next,
      ...asks,
    } as const;
    const isLead = this.#namespace === LEAD_NAMESPACE;
    this.#parts.writer.append({
      ...along,
      events: [...(along.events ?? []), { event: this.named(event), delta }],
      checkpoint,
      ...(isLead ? { thread: { headCheckpointId: checkpointId }, ...revising(checkpoint, changes) } : {}),
    });
  }

  /** Shows readers of `values` the state from which the run continues. */
  showState(checkpointId: string): void {
    const { newId, writer } = this.#parts;
    const shown: LogEvent = {
      type: 'state',
      checkpointId,
      parentId: null,
      source: 'input',
      node: null,
      step: this.#at.step,
      taskId: newId(),
      next: this.#next,
    };
    writer.append({ events: [{ event: shown, delta: NO_CHANGE }] });
  }

  append(event: AgentLogEvent, record: readonly NewRunEvent[] = []): void {
    this.#parts.writer.append({ events: [{ event: this.named(event) }], record });
  }

  named(event: AgentLogEvent): LogEvent {
    const namespace = this.#namespace;
    return namespace === LEAD_NAMESPACE ? event : { type: 'subagent', namespace, event };
  }

  #extend(change: Pick<ReportedChange, 'source' | 'node' | 'delta' | 'fold' | 'next' | 'tasks'>) {
    const { run, states, newId, now } = this.#parts;
    const { source, node, delta, fold, next, tasks } = change;
    const made = states.extend(this.#at, {
      checkpointId: newId(),
      runId: run.runId,
      namespace: this.#namespace,
      source,
      node,
      delta,
      fold,
      next,
      tasks,
      metadata: {},
      now: now(),
    });
    this.#at = made.folded;
    return made;
  }
}

function revising(checkpoint: NewCheckpoint, changes: readonly MessageChange[]) {
  if (changes.length === 0) return {};
  const repeated = changes.flatMap(({ kind, message }) => (kind === 'removed' ? [] : [message.id]));
  return { revisions: messageRevisions(checkpoint, { changes }), repeated };
}

/** Returns the calls that a person or a middleware changed. The state still has the model's version. */
function editedCalls({ calls }: ToolsStart, { messages }: ThreadState): readonly ToolCall[] {
  const asked = new Set(messages.findLast((message) => message.type === 'ai')?.tool_calls);
  return calls.map(({ call }) => call).filter((call) => !asked.has(call));
}

type ReportedEvent = Exclude<
  OwnEvent,
  StateChange | ModelCallEnd | ModelCallFailed | ModelCallSwitched | MiddlewareTrace
>;

interface BegunCalls {
  readonly toolEnds: ToolEnd[];
  readonly startedCallIds: Set<string>;
  /** Calls that run differently from what the model requested. */
  readonly edited: ToolCall[];
}

function nothingBegun(): BegunCalls {
  return { toolEnds: [], startedCallIds: new Set(), edited: [] };
}
