// One conversation: the stream of its thread, and what a person can do with it.
import { type RefObject, useMemo, useRef, useState } from 'react';
import type { Goal } from '../api/goal-calls.ts';
import { RECURSION_LIMIT, type ThreadRuns } from '../api/run-calls.ts';
import type { Run } from '../api/shapes.ts';
import { useThreadOutbox, type Written } from '../outbox/use-thread-outbox.ts';
import { useServices } from '../services.tsx';
import { type CommandOutput, createCommandOutput } from '../tool-cards/command-output.ts';
import { type AnswerEnd, answerEnd } from './answer-end.ts';
import { branchStart } from './branch-start.ts';
import { readGoal } from './goal.ts';
import { type PlanItem, readPlan } from './plan.ts';
import { type RunProblem, runProblemOf } from './run-error.ts';
import { createSeenTurnReader, type Progress, type Seen } from './seen-turn-reader.ts';
import { createSubagentProgress, type SubagentProgress } from './subagent-progress.ts';
import { type BranchFiles, newMessage, type Said, type Submission, toSubmit } from './submission.ts';
import { readSummaryMark, type SummaryMark } from './summary-mark.ts';
import { headOf } from './thread-head.ts';
import type { Turn } from './turns.ts';
import { type Branches, useBranches } from './use-branches.ts';
import { useFollow } from './use-follow.ts';
import { type ModelFallbacks, useModelFallbacks } from './use-model-fallbacks.ts';
import { type ProviderPause, useProviderPause } from './use-provider-pause.ts';
import type { RunOptions } from './use-run-options.ts';
import { useStopping } from './use-stopping.ts';
import { type State, useThreadStream } from './use-thread-stream.ts';
import { type Unread, useUnread } from './use-unread.ts';
import { readWaiting, resumeOf, type Waiting } from './waiting.ts';

interface ConversationOptions {
  /** The agent that answers next. */
  readonly agent: string;
  readonly threadId: string | undefined;
  /** A new conversation got its id. */
  readonly onBorn: (threadId: string) => void;
  /** What is shown is not what the service has: it is to be read again. */
  readonly onReload: () => void;
  /** What was seen of an answer, over a reload. */
  readonly seen: RefObject<Seen | undefined>;
}

/** Other words in the place of a message. */
export interface Edit {
  readonly messageId: string;
  readonly said: Said;
  readonly files: BranchFiles;
}

interface Again {
  readonly messageId: string;
  readonly files: BranchFiles;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly title: string | undefined;
  /** What was sent and is no part of the conversation yet, in its order. */
  readonly unread: readonly Unread[];
  readonly phase: 'opening' | 'idle' | 'answering' | 'stopping';
  readonly problem: RunProblem | undefined;
  /** How the last answer ended; undefined until that is known. */
  readonly end: AnswerEnd | undefined;
  /** Why the model says nothing yet. */
  readonly pause: ProviderPause | undefined;
  readonly fallbacks: ModelFallbacks;
  /** What the run waits for; still here while the answer is on its way. */
  readonly waiting: Waiting | undefined;
  /** The newest run of the thread, as far as this page knows. */
  readonly latestRun: Run | undefined;
  readonly branches: Branches;
  /** The same object for the life of the conversation. */
  readonly subagents: SubagentProgress;
  readonly commands: CommandOutput;
  /** What the agent has written down to do; empty without a plan. */
  readonly plan: readonly PlanItem[];
  /** What the agent works towards by itself. */
  readonly goal: Goal | undefined;
  /** Which turns the agent knows from a summary alone. */
  readonly summary: SummaryMark | undefined;
  /** Kept until the service has it; it waits for the answers before it. */
  readonly send: (written: Written, options: RunOptions) => void;
  /** Takes back what is queued. */
  readonly withdraw: (runId: string) => Promise<void>;
  /** Says something else instead of an earlier message, on a branch of its own. */
  readonly edit: (change: Edit, options: RunOptions) => void;
  /** Answers the message anew, on a branch of its own. */
  readonly regenerate: (change: Again, options: RunOptions) => void;
  /** With the model and the choices of the run that waits, as the service knows them. */
  readonly answer: (answer: unknown) => void;
  /** Goes on with what stopped before it was done, as it began. */
  readonly proceed: () => void;
  /** Does again what failed; the message is not sent twice if it had arrived. */
  readonly retry: (options: RunOptions) => void;
  readonly stop: () => void;
}

export function useConversation(opened: ConversationOptions): Conversation {
  const { agent, threadId, onBorn, onReload, seen } = opened;
  const { api } = useServices();
  const { subagents, commands, pauseIn, fallbacksIn, onTold } = useToldProgress();
  const [onItsWay, setOnItsWay] = useState<{ readonly waiting: Waiting | undefined }>();
  const [failure, setFailure] = useState<unknown>();
  const unsent = useRef<Submission>(undefined);
  const started = useRef((_runId: string) => {});
  const onCreated = (runId: string) => {
    unsent.current = undefined;
    started.current(runId);
    setOnItsWay(undefined);
  };
  const isBranching = useRef(false);
  const onFailed = (error: unknown) => {
    // A branch that failed may have become the thread's, or nothing at all.
    if (isBranching.current && runProblemOf(error)?.kind === 'failed') onReload();
  };
  const { stream, runs, watchRun, forgetRun, withdraw } = useThreadStream({
    agent,
    threadId,
    onBorn,
    onCreated,
    onFailed,
    onTold,
  });

  const newest = stream.history.at(-1);
  const head = useMemo(() => headOf(newest), [newest]);
  const follow = useFollow({
    threadId,
    stream,
    runs: runs.data,
    headId: head?.checkpoint_id,
    isSending: onItsWay !== undefined,
    onReload,
  });
  started.current = follow.started;
  const isStreaming = stream.isLoading && !follow.isCatchingUp;
  const outbox = useThreadOutbox({ threadId, onBorn });
  const { messages, unread, isBeingTaken } = useUnread({
    items: outbox.items,
    messages: stream.messages,
    runs: runs.data,
    isStreaming,
    hasRead: follow.hasRead,
  });
  const isBusy = isStreaming || isBeingTaken || onItsWay !== undefined;
  const { isStopping, stop } = useStopping({ stream, threadId, runs: runs.data, isBusy });
  const isComing = isExpected({ stream, runs: runs.data, failure });
  const turns = useSeenTurns(seen, messages, { threadId, isAnswering: isStreaming, isComing });
  const branches = useBranches({ threadId, head: isBusy ? undefined : head, messages });
  const shownRun = runOf(runs.data?.latest, branches);
  const problem = isBusy ? undefined : problemOf(failure ?? stream.error ?? shownRun?.error, unread);
  const asked = isBusy ? undefined : readWaiting(stream.interrupts, head?.next ?? []);
  const end = endOf(turns, { run: shownRun, isBusy, isFetching: runs.isFetching });
  const waiting = onItsWay?.waiting ?? (isAsked(asked, { run: shownRun, problem, runs }) ? asked : undefined);
  // Who works tells what it takes; who waits may be answered elsewhere.
  watchRun(isBusy || waiting !== undefined ? 'watch' : 'rest');

  const submit = async (submission: Submission, { agent: _, ...options }: RunOptions) => {
    unsent.current = submission;
    setFailure(undefined);
    setOnItsWay({ waiting: submission.kind === 'answer' ? waiting : undefined });
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
      setOnItsWay(undefined);
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
    edit: ({ messageId, said, files }, options) =>
      begin({ kind: 'message', message: newMessage(said), replaces: messageId, files }, options),
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

/** What a run tells besides its messages: how its sub-agents, commands and providers stand. */
function useToldProgress() {
  const [subagents] = useState(createSubagentProgress);
  const [commands] = useState(createCommandOutput);
  const { tell, pauseIn } = useProviderPause();
  const { tell: tellFallback, fallbacksIn } = useModelFallbacks();
  const onTold = (event: unknown) => {
    subagents.tell(event);
    commands.tell(event);
    tell(event);
    tellFallback(event);
  };
  return { subagents, commands, pauseIn, fallbacksIn, onTold };
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

/** An answer of which nothing is read yet, or that goes on where the connection to it was lost. */
function isExpected({ stream, runs, failure }: Expected): boolean {
  if (stream.isThreadLoading || runs?.active !== undefined) return true;
  return runProblemOf(failure ?? stream.error)?.kind === 'connection';
}

interface Settling {
  readonly run: Run | undefined;
  readonly isBusy: boolean;
  readonly isFetching: boolean;
}

function endOf(turns: readonly Turn[], { run, isBusy, isFetching }: Settling): AnswerEnd | undefined {
  const last = turns.at(-1);
  return last === undefined || isBusy || isFetching ? undefined : answerEnd(run, last);
}

function filesOf(submission: Submission): { readonly restore_files?: true } {
  return submission.kind !== 'answer' && submission.files === 'restored' ? { restore_files: true } : {};
}

/** Undefined where the newest run belongs to another branch than the one that is shown. */
function runOf(run: Run | undefined, branches: Branches): Run | undefined {
  return run === undefined || branches.isElsewhere(run.run_id) ? undefined : run;
}

/** A new chat whose first message waits is not there yet. */
function problemOf(error: unknown, unread: readonly Unread[]): RunProblem | undefined {
  const problem = runProblemOf(error);
  return problem?.kind === 'missing' && unread.length > 0 ? undefined : problem;
}

interface RunKnowledge {
  readonly run: Run | undefined;
  readonly problem: RunProblem | undefined;
  /** While they are read, nobody knows whether the run is the newest one. */
  readonly runs: { readonly isFetching: boolean };
}

/** A run that came too late with its answer leaves open what another one asked. */
const WAITING = new Set(['awaiting_input', 'already_answered']);

/** What a run left open asks nothing of the person when it failed, was stopped, or is not known yet. */
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
