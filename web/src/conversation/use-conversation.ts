// One conversation: the stream of its thread, and the actions of the person.
import { type RefObject, useMemo, useRef, useState } from 'react';
import type { Goal } from '../api/goal-calls.ts';
import { RECURSION_LIMIT, type ThreadRuns } from '../api/run-calls.ts';
import { type MessageContent, newMessage } from '../api/sent-message.ts';
import type { Run } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import type { CommandOutput } from './command-output.ts';
import type { ModelFallbacks, ProviderPause } from './provider-events.ts';
import { type ReplyEnd, type RunProblem, replyEnd, runProblemOf } from './reply-end.ts';
import { useRunProgress } from './run-progress.ts';
import { createSeenTurnReader, type Progress, type Seen } from './seen-turn-reader.ts';
import type { SubagentProgress } from './subagents.ts';
import { type BranchFiles, type RunOptions, type Submission, toSubmit } from './submission.ts';
import {
  headOf,
  type PlanItem,
  readGoal,
  readPlan,
  readSummaryMark,
  type SummaryMark,
} from './thread-state.ts';
import type { Turn } from './turns.ts';
import { type Unread, useThreadOutbox, useUnread, type Written } from './unread.ts';
import { type Branches, branchStart, useBranches } from './use-branches.ts';
import { useFollow } from './use-follow.ts';
import { useStopping } from './use-stopping.ts';
import { type State, useThreadStream } from './use-thread-stream.ts';
import { readWaiting, resumeOf, type Waiting } from './waiting.ts';

interface ConversationOptions {
  /** The agent of the next reply. */
  readonly agent: string;
  readonly threadId: string | undefined;
  /** Called when a new conversation gets its id. */
  readonly onThreadCreated: (threadId: string) => void;
  /** Called when the conversation is out of date and has to be loaded again. */
  readonly onReload: () => void;
  /** The part of a reply that was shown. It survives a reload. */
  readonly seen: RefObject<Seen | undefined>;
}

/** A new text for an earlier message. */
export interface Edit {
  readonly messageId: string;
  readonly content: MessageContent;
  readonly files: BranchFiles;
}

interface Again {
  readonly messageId: string;
  readonly files: BranchFiles;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly title: string | undefined;
  /** Messages that were sent but are not part of the conversation yet, in order. */
  readonly unread: readonly Unread[];
  readonly phase: 'opening' | 'idle' | 'answering' | 'stopping';
  readonly problem: RunProblem | undefined;
  /** How the last reply ended. Undefined until that is known. */
  readonly end: ReplyEnd | undefined;
  /** Why the model has produced no output yet. */
  readonly pause: ProviderPause | undefined;
  readonly fallbacks: ModelFallbacks;
  /** The question on which the run waits. Still set while the answer is being sent. */
  readonly waiting: Waiting | undefined;
  /** The newest run of the thread, as far as this page knows. */
  readonly latestRun: Run | undefined;
  readonly branches: Branches;
  /** The same object for the lifetime of the conversation. */
  readonly subagents: SubagentProgress;
  readonly commands: CommandOutput;
  /** The agent's plan; empty without one. */
  readonly plan: readonly PlanItem[];
  /** The goal that the agent works towards on its own. */
  readonly goal: Goal | undefined;
  /** Which turns the agent knows only from a summary. */
  readonly summary: SummaryMark | undefined;
  /** Sends a message. It is saved until the service has it, and waits for earlier runs. */
  readonly send: (written: Written, options: RunOptions) => void;
  /** Cancels a queued run. */
  readonly withdraw: (runId: string) => Promise<void>;
  /** Replaces an earlier message, on a new branch. */
  readonly edit: (change: Edit, options: RunOptions) => void;
  /** Generates another reply to the message, on a new branch. */
  readonly regenerate: (change: Again, options: RunOptions) => void;
  /** Resumes the waiting run, with the model and options that it had. */
  readonly answer: (answer: unknown) => void;
  /** Continues a run that stopped early, with the options that it had. */
  readonly proceed: () => void;
  /** Retries what failed. A message that had arrived is not sent twice. */
  readonly retry: (options: RunOptions) => void;
  readonly stop: () => void;
}

export function useConversation(opened: ConversationOptions): Conversation {
  const { agent, threadId, onThreadCreated, onReload, seen } = opened;
  const { api } = useServices();
  const { subagents, commands, pauseIn, fallbacksIn, onRunEvent } = useRunProgress();
  const [sending, setSending] = useState<{ readonly waiting: Waiting | undefined }>();
  const [failure, setFailure] = useState<unknown>();
  const unsent = useRef<Submission>(undefined);
  const started = useRef((_runId: string) => {});
  const onCreated = (runId: string) => {
    unsent.current = undefined;
    started.current(runId);
    setSending(undefined);
  };
  const isBranching = useRef(false);
  const onFailed = (error: unknown) => {
    // It is unknown whether the failed branch became the head of the thread.
    if (isBranching.current && runProblemOf(error)?.kind === 'failed') onReload();
  };
  const { stream, runs, watchRun, forgetRun, withdraw } = useThreadStream({
    agent,
    threadId,
    onThreadCreated,
    onCreated,
    onFailed,
    onRunEvent,
  });

  const newest = stream.history.at(-1);
  const head = useMemo(() => headOf(newest), [newest]);
  const follow = useFollow({
    threadId,
    stream,
    runs: runs.data,
    headId: head?.checkpoint_id,
    isSending: sending !== undefined,
    onReload,
  });
  started.current = follow.started;
  const isStreaming = stream.isLoading && !follow.isCatchingUp;
  const outbox = useThreadOutbox({ threadId, onThreadCreated });
  const { messages, unread, isBeingTaken } = useUnread({
    items: outbox.items,
    messages: stream.messages,
    runs: runs.data,
    isStreaming,
    hasRead: follow.hasRead,
  });
  const isBusy = isStreaming || isBeingTaken || sending !== undefined;
  const { isStopping, stop } = useStopping({ stream, threadId, runs: runs.data, isBusy });
  const isComing = isExpected({ stream, runs: runs.data, failure });
  const turns = useSeenTurns(seen, messages, { threadId, isReplying: isStreaming, isComing });
  const branches = useBranches({ threadId, head: isBusy ? undefined : head, messages });
  const shownRun = runOf(runs.data?.latest, branches);
  const problem = isBusy ? undefined : problemOf(failure ?? stream.error ?? shownRun?.error, unread);
  const asked = isBusy ? undefined : readWaiting(stream.interrupts, head?.next ?? []);
  const end = endOf(turns, { run: shownRun, isBusy, isFetching: runs.isFetching });
  const waiting = sending?.waiting ?? (isAsked(asked, { run: shownRun, problem, runs }) ? asked : undefined);
  // Usage changes while a run works, and a question may be answered on another device.
  watchRun(isBusy || waiting !== undefined ? 'watch' : 'rest');

  const submit = async (submission: Submission, { agent: _, ...options }: RunOptions) => {
    unsent.current = submission;
    setFailure(undefined);
    setSending({ waiting: submission.kind === 'answer' ? waiting : undefined });
    forgetRun();
    try {
      const from = await branchStart({ api, threadId, question: turns.at(-1)?.human?.id }, submission);
      isBranching.current = from !== undefined;
      const { input, options: more } = toSubmit<State>(submission, from);
      await stream.submit(input, {
        config: { recursion_limit: RECURSION_LIMIT, configurable: { ...options, ...filesOf(submission) } },
        ...more,
      });
    } catch (error) {
      setFailure(error);
    } finally {
      setSending(undefined);
    }
  };
  const begin = (submission: Submission, options: RunOptions) =>
    void submit(submission, options).catch(reportError);

  return {
    turns,
    title: stream.values.title,
    unread,
    phase: phaseOf(stream, { isBusy, isStopping }),
    problem,
    end,
    pause: pauseIn(turns, { isBusy, runId: runs.data?.active?.run_id }),
    fallbacks: fallbacksIn(turns),
    waiting,
    latestRun: runs.data?.latest,
    branches,
    subagents,
    commands,
    plan: readPlan(stream.values.todos),
    goal: readGoal(stream.values.goal),
    summary: readSummaryMark(stream.values.summary, messages),
    send: (written, options) => {
      setFailure(undefined);
      outbox.send(written, options);
    },
    withdraw,
    edit: ({ messageId, content, files }, options) =>
      begin({ kind: 'message', message: newMessage(content), replaces: messageId, files }, options),
    regenerate: ({ messageId, files }, options) =>
      begin({ kind: 'again', question: messageId, files }, options),
    answer: (answer) => {
      if (waiting === undefined) return;
      begin({ kind: 'answer', resume: resumeOf(waiting, answer, stream.interrupts.length) }, {});
    },
    proceed: () => begin({ kind: 'again' }, {}),
    retry: (options) => {
      if (unsent.current === undefined && problem?.kind === 'connection') onReload();
      else begin(unsent.current ?? { kind: 'again' }, options);
    },
    stop,
  };
}

function useSeenTurns(kept: RefObject<Seen | undefined>, messages: readonly unknown[], progress: Progress) {
  const [read] = useState(() => createSeenTurnReader(kept));
  return read(messages, progress);
}

interface Expected {
  readonly stream: { readonly isThreadLoading: boolean; readonly error: unknown };
  readonly runs: ThreadRuns | undefined;
  readonly failure: unknown;
}

/** Whether a reply is expected: none of it has arrived yet, or it continues after a lost connection. */
function isExpected({ stream, runs, failure }: Expected): boolean {
  if (stream.isThreadLoading || runs?.active !== undefined) return true;
  return runProblemOf(failure ?? stream.error)?.kind === 'connection';
}

interface Settling {
  readonly run: Run | undefined;
  readonly isBusy: boolean;
  readonly isFetching: boolean;
}

function endOf(turns: readonly Turn[], { run, isBusy, isFetching }: Settling): ReplyEnd | undefined {
  const last = turns.at(-1);
  return last === undefined || isBusy || isFetching ? undefined : replyEnd(run, last);
}

function filesOf(submission: Submission): { readonly restore_files?: true } {
  return submission.kind !== 'answer' && submission.files === 'restored' ? { restore_files: true } : {};
}

/** Returns undefined when the newest run belongs to a branch that is not shown. */
function runOf(run: Run | undefined, branches: Branches): Run | undefined {
  return run === undefined || branches.isElsewhere(run.run_id) ? undefined : run;
}

/**
 * Ignores a missing chat while there are unread messages: a new chat does not exist while its first message
 * waits.
 */
function problemOf(error: unknown, unread: readonly Unread[]): RunProblem | undefined {
  const problem = runProblemOf(error);
  return problem?.kind === 'missing' && unread.length > 0 ? undefined : problem;
}

interface RunKnowledge {
  readonly run: Run | undefined;
  readonly problem: RunProblem | undefined;
  /** While the runs are being loaded, the run may not be the newest one. */
  readonly runs: { readonly isFetching: boolean };
}

/** The stop reasons that leave a question open. */
const WAITING = new Set(['awaiting_input', 'already_answered']);

/**
 * Whether the person has to act. A pause needs nothing when the run failed, was stopped, or is not known yet.
 */
function isAsked(asked: Waiting | undefined, { run, problem, runs }: RunKnowledge): boolean {
  if (asked?.kind !== 'pause') return true;
  const isKnown = problem === undefined && !runs.isFetching;
  return isKnown && (run === undefined || WAITING.has(run.stop_reason ?? ''));
}

interface Busyness {
  readonly isBusy: boolean;
  readonly isStopping: boolean;
}

function phaseOf(
  { isThreadLoading }: { readonly isThreadLoading: boolean },
  { isBusy, isStopping }: Busyness,
): Conversation['phase'] {
  if (isBusy) return isStopping ? 'stopping' : 'answering';
  return isThreadLoading ? 'opening' : 'idle';
}
