// Writes what one attempt of a run reports: log events, run events, checkpoints, totals.
import type {
  AgentEvent,
  ModelCallEnd,
  ModelCallFailed,
  OwnEvent,
  StateChange,
  SubagentEnd,
  SubagentReport,
  SubagentStart,
} from '../../agent/agent-event.ts';
import { LEAD_NAMESPACE, outerNamespace } from '../../messages/agent-namespace.ts';
import { isEmptyDelta, type StateDelta } from '../../messages/thread-state.ts';
import type { HeadMove } from '../../storage/run-commits.ts';
import type { NewRunEvent } from '../../storage/run-events.ts';
import { headBefore, type RunTotals } from '../../storage/runs.ts';
import type { LogEvent } from '../log/log-event.ts';
import type { RunEnding } from '../log/run-ending.ts';
import type { RunReport } from '../log/run-writer.ts';
import { BEFORE_INPUT } from '../request/require-checkpoint.ts';
import type { StartingPoint } from '../request/starting-point.ts';
import type { AgentReporter, AgentReporterParts, ReportedChange } from './agent-reporter.ts';
import { AgentReporters } from './agent-reporters.ts';
import { Journal } from './journal.ts';
import { closingResults, endReport, keepsOpen } from './run-end.ts';
import { runEvent } from './run-event-catalogue.ts';
import type { EarlierAttempts, ResumedSubagent } from './unfinished-step.ts';
import { spentBy, withMessages, withModelCall } from './usage.ts';

export interface RunReporterParts extends AgentReporterParts {
  readonly traceLimitBytes: number;
  /** True when model calls reserve from the owner's daily budget before they are made. */
  readonly reservesDays: boolean;
}

type Origin =
  /** The attempt has not reached a position yet: the thread is unchanged. */
  { readonly kind: 'untouched' } | { readonly kind: 'checkpoint'; readonly checkpointId: string | null };

/** The start of a run that has done nothing yet, or has nothing to do. */
type BeginningPoint = Extract<StartingPoint, { readonly kind: 'input' | 'continue' | 'finished' }>;

/** Holds what the events of the attempt fold to: the positions of its agents, and the totals so far. */
export class RunReporter {
  readonly #parts: RunReporterParts;
  readonly #journal: Journal;
  readonly #agents: AgentReporters;
  #origin: Origin = { kind: 'untouched' };
  #totals: RunTotals;
  /** True once a model or a tool was called. */
  #hasCalled = false;

  constructor(parts: RunReporterParts) {
    const { run, traceLimitBytes, now } = parts;
    this.#parts = parts;
    this.#totals = run.totals;
    this.#agents = new AgentReporters(parts);
    this.#journal = new Journal({ traceLimitBytes, modelCallsBefore: run.totals.llmCallCount, now });
  }

  get totals(): RunTotals {
    return this.#totals;
  }

  /** The position of the lead agent. */
  get lead(): Pick<AgentReporter, 'state' | 'stateBytes' | 'checkpointId' | 'step'> {
    return this.#agents.lead;
  }

  /** What a rollback does to the thread; `undefined` for nothing. */
  get wayBack(): Pick<HeadMove, 'fromId' | 'toId'> | undefined {
    const origin = this.#origin;
    return origin.kind === 'untouched'
      ? undefined
      : { fromId: this.lead.checkpointId, toId: origin.checkpointId };
  }

  /** Writes the first report of the attempt. */
  begin(earlier: EarlierAttempts): void {
    const { run, writer, now } = this.#parts;
    if (earlier.attempt !== run.attempt)
      writer.append({ events: [{ event: { type: 'attempt', attempt: run.attempt } }] });
    this.#agents.lead.takeUp(earlier.begun);
    if (earlier.lastSeq === 0)
      writer.append({ record: [{ ...runEvent('run_start', '', {}), createdAt: now() }] });
  }

  /** Moves to the checkpoint from which the attempt starts, and applies the input. */
  resume(start: Exclude<StartingPoint, { kind: 'unusable' }>, move: HeadMove | undefined): void {
    const { run } = this.#parts;
    const { checkpointId } = start.base;
    if (start.kind === 'recover') {
      this.#origin = { kind: 'checkpoint', checkpointId: headBefore(run) };
      this.#agents.lead.resumeAt(start.base, [start.node]);
      return;
    }
    const next = start.kind === 'continue' ? [start.node] : ['model'];
    this.#agents.lead.resumeAt(start.base, next);
    if (start.kind === 'finished' && start.isRecovered === true)
      this.#origin = { kind: 'checkpoint', checkpointId: headBefore(run) };
    else this.#leave(start, move);
    if (start.kind === 'input' || !isEmptyDelta(start.delta)) this.#applyInput(start.delta, next);
    else if (checkpointId !== null) this.#agents.lead.showState(checkpointId);
  }

  #leave({ base, left }: BeginningPoint, move: HeadMove | undefined): void {
    const { checkpointId } = base;
    this.#origin = { kind: 'checkpoint', ...(left ?? { checkpointId }) };
    // A checkpoint before the first message lets clients go back there and ask something else.
    if (checkpointId === null) {
      this.#agents.lead.layCheckpoint([BEFORE_INPUT]);
      return;
    }
    const thread = left && { branchedAt: checkpointId, ...(move && { move }) };
    const run = { baseCheckpointId: checkpointId, ...(left && { formerHead: left }) };
    this.#parts.writer.append({ run, ...(thread && { thread }) });
  }

  stateBytesAt(event: AgentEvent): number {
    return this.#agents.at(event.type === 'subagent' ? event.namespace : LEAD_NAMESPACE).stateBytes;
  }

  resumeSubagents(subagents: ReadonlyMap<string, ResumedSubagent>): void {
    this.#agents.resume(subagents);
  }

  #applyInput(delta: StateDelta, next: readonly string[]): void {
    const taskId = this.#parts.newId();
    this.#changeState({ type: 'state', source: 'input', node: null, taskId, delta, next, tasks: [] }, []);
  }

  /** Writes an event. If this returns a promise, the agent must not continue before it resolves. */
  report(event: AgentEvent): Promise<void> | undefined {
    switch (event.type) {
      case 'subagent':
        return this.#reportSubagent(event);
      case 'subagent_start': {
        const events = [{ event: this.#progress(event) }];
        const record = this.#journal.record(event);
        this.#agents.at(event.namespace).changeState(event.input, { events, record });
        return undefined;
      }
      case 'subagent_end':
        this.#endSubagent(event);
        return undefined;
      case 'state':
        this.#changeState(event, this.#journal.record(event));
        return this.#stepWritten(event);
      default:
        return this.#reportStep(event, this.#agents.lead, this.#journal.record(event));
    }
  }

  #reportSubagent(report: SubagentReport): Promise<void> | undefined {
    const { namespace, event } = report;
    const record = this.#journal.record(report);
    const agent = this.#agents.at(namespace);
    if (event.type !== 'state') return this.#reportStep(event, agent, record);
    agent.changeState(event, { record });
    this.#agents.forgetInside(namespace);
    return this.#stepWritten(event);
  }

  /**
   * A step is durable before anything follows from it, so that a worker that lost the run calls no model. The
   * last step counts with the end. Steps before the first call, like the input, are no work that another
   * attempt would pay for again.
   */
  #stepWritten({ next }: StateChange): Promise<void> | undefined {
    return next.length > 0 && this.#hasCalled ? this.durable() : this.#parts.writer.capacity();
  }

  #endSubagent(event: SubagentEnd): void {
    const { namespace, status, text } = event;
    const { checkpointId } = this.#agents.at(namespace);
    const at = status === 'completed' && checkpointId !== null ? { checkpointId } : {};
    const ended: LogEvent = { type: 'subagent', namespace, event: { type: 'ended', status, text, ...at } };
    const events = [{ event: ended }, { event: this.#progress(event) }];
    this.#parts.writer.append({ events, record: this.#journal.record(event) });
  }

  /** Reports in the name of the agent that gave the task. */
  #progress({ namespace, progress }: SubagentStart | SubagentEnd): LogEvent {
    return this.#agents.at(outerNamespace(namespace)).named({ type: 'custom', data: progress });
  }

  #reportStep(
    event: Exclude<OwnEvent, StateChange>,
    agent: AgentReporter,
    record: readonly NewRunEvent[],
  ): Promise<void> | undefined {
    const { writer } = this.#parts;
    switch (event.type) {
      case 'model_call_end':
      case 'model_call_failed':
        this.#endModelCall(event, record);
        return undefined;
      case 'middleware':
      case 'model_call_switched':
        writer.append({ record });
        return undefined;
      case 'model_call_start':
      case 'tools_start':
        this.#hasCalled = true;
        return agent.report(event, record);
      default:
        return agent.report(event, record);
    }
  }

  /** Counts the call in the same transaction that records it. */
  #endModelCall(event: ModelCallEnd | ModelCallFailed, record: readonly NewRunEvent[]): void {
    const { writer, now } = this.#parts;
    const spent = spentBy(event, record[0]?.createdAt ?? now());
    if (spent === undefined) {
      writer.append({ record });
      return;
    }
    this.#totals = withModelCall(this.#totals, event.caller, spent);
    writer.append({ record, run: { totals: this.#totals }, spent });
  }

  durable(): Promise<void> {
    return this.#parts.writer.durable();
  }

  /** Closes steps that will not be done, so that clients do not take the run for one that waits. */
  #close(ending: RunEnding): void {
    if (this.#agents.lead.next.length === 0 || keepsOpen(ending)) return;
    const { newId } = this.#parts;
    const taskId = newId();
    const results = closingResults(this.#agents.lead.state.messages, this.#agents.lead.begun, newId);
    const node = results.length > 0 ? 'tools' : null;
    if (node !== null)
      this.#agents.lead.startStep({ type: 'step_start', node, step: this.lead.step, taskId });
    for (const { end, isKnown } of results) {
      if (!isKnown) this.#agents.lead.append(end, this.#journal.record(end));
    }
    const delta: StateDelta = {
      messages: results.map(({ end }) => end.message),
      values: Object.assign({}, ...results.map(({ end }) => end.values)),
    };
    this.#changeState({ type: 'state', source: 'loop', node, taskId, delta, next: [], tasks: [] }, []);
  }

  /** Writes the last report. Resolves when it is durable. */
  async end(ending: RunEnding, move?: HeadMove): Promise<void> {
    const { writer, now } = this.#parts;
    const { wayBack } = this;
    this.#close(ending);
    const { state, position } = this.#agents.lead;
    const last = { state, position, totals: this.#totals, wayBack, move, now: now() };
    writer.append({ ...endReport(ending, last), ...this.#releasesAll() });
    await this.durable();
  }

  /** Releases reservations, which must not count for the process that continues the same attempt. */
  async handOver(): Promise<void> {
    if (this.#parts.reservesDays) this.#parts.writer.append(this.#releasesAll());
    await this.durable();
  }

  #releasesAll(): Pick<RunReport, 'released'> {
    return this.#parts.reservesDays ? { released: 'all' } : {};
  }

  /** Resolves when readers find all events of the run in its rows. */
  close(): Promise<void> {
    return this.#parts.writer.close();
  }

  /** Writes a step of the lead agent. Waiting tasks keep the checkpoints of the sub-agents that asked. */
  #changeState(change: ReportedChange, record: readonly NewRunEvent[]): void {
    const added = change.delta.messages.filter((it) => it.type !== 'remove').length;
    this.#totals = withMessages(this.#totals, added);
    const subagents = this.#agents.places();
    const tasks = change.tasks.map((task) => ({ ...task, subagents }));
    this.#agents.lead.changeState({ ...change, tasks }, { record, run: { totals: this.#totals } });
    this.#agents.forgetInside(LEAD_NAMESPACE);
  }
}
