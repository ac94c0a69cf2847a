// One conversation: the stream of its thread, and what a person can do with it.
import { useMemo, useRef, useState } from 'react';
import type { Run } from '../api/shapes.ts';
import { useServices } from '../services.tsx';
import { type CommandOutput, createCommandOutput } from '../tool-cards/command-output.ts';
import { branchStart } from './branch-start.ts';
import { type RunProblem, runProblemOf } from './run-error.ts';
import { createSubagentProgress, type SubagentProgress } from './subagent-progress.ts';
import { type BranchFiles, newMessage, type Said, type Submission, toSubmit } from './submission.ts';
import { readSummaryMark, type SummaryMark } from './summary-mark.ts';
import { headOf } from './thread-head.ts';
import { createTurnReader, type Turn } from './turns.ts';
import { type Branches, useBranches } from './use-branches.ts';
import type { RunOptions } from './use-run-options.ts';
import { useStopping } from './use-stopping.ts';
import { type State, useThreadStream } from './use-thread-stream.ts';
import { readWaiting, resumeOf, type Waiting } from './waiting.ts';

interface ConversationOptions {
  readonly threadId: string | undefined;
  /** A new conversation got its id. */
  readonly onBorn: (threadId: string) => void;
  /** What is shown is not what the service has: it is to be read again. */
  readonly onReload: () => void;
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
  readonly phase: 'opening' | 'idle' | 'answering' | 'stopping';
  readonly problem: RunProblem | undefined;
  /** What the run waits for; still here while the answer is on its way. */
  readonly waiting: Waiting | undefined;
  /** The newest run of the thread, as far as this page knows. */
  readonly latestRun: Run | undefined;
  readonly branches: Branches;
  /** The same object for the life of the conversation. */
  readonly subagents: SubagentProgress;
  readonly commands: CommandOutput;
  /** Which turns the agent knows from a summary alone. */
  readonly summary: SummaryMark | undefined;
  readonly send: (said: Said, options: RunOptions) => void;
  /** Says something else instead of an earlier message, on a branch of its own. */
  readonly edit: (change: Edit, options: RunOptions) => void;
  /** Answers the message anew, on a branch of its own. */
  readonly regenerate: (change: Again, options: RunOptions) => void;
  readonly answer: (answer: unknown, options: RunOptions) => void;
  /** Goes on with what stopped before it was done. */
  readonly proceed: (options: RunOptions) => void;
  /** Does again what failed; the message is not sent twice if it had arrived. */
  readonly retry: (options: RunOptions) => void;
  readonly stop: () => void;
}

const RECURSION_LIMIT = 100;

export function useConversation({ threadId, onBorn, onReload }: ConversationOptions): Conversation {
  const { api } = useServices();
  const [readTurns] = useState(createTurnReader);
  const [subagents] = useState(createSubagentProgress);
  const [commands] = useState(createCommandOutput);
  const [onItsWay, setOnItsWay] = useState<{ readonly waiting: Waiting | undefined }>();
  const [failure, setFailure] = useState<unknown>();
  const unsent = useRef<Submission>(undefined);
  const onCreated = () => {
    unsent.current = undefined;
    setOnItsWay(undefined);
  };
  const isBranching = useRef(false);
  const onFailed = (error: unknown) => {
    // A branch that failed may have become the thread's, or nothing at all.
    if (isBranching.current && runProblemOf(error)?.kind === 'failed') onReload();
  };
  const { stream, run, watchRun, forgetRun } = useThreadStream({
    threadId,
    onBorn,
    onCreated,
    onFailed,
    onTold: (event) => {
      subagents.tell(event);
      commands.tell(event);
    },
  });
  const { isStopping, stop } = useStopping(stream, threadId);

  const isBusy = stream.isLoading || onItsWay !== undefined;
  const newest = stream.history.at(-1);
  const head = useMemo(() => headOf(newest), [newest]);
  const { messages, interrupts } = stream;
  const turns = readTurns(messages);
  const branches = useBranches({ threadId, head: isBusy ? undefined : head, messages });
  const shownRun = runOf(run.data, branches);
  const problem = isBusy ? undefined : runProblemOf(failure ?? stream.error ?? shownRun?.error);
  const asked = isBusy ? undefined : readWaiting(interrupts, head?.next ?? []);
  const isKnown = problem === undefined && !run.isFetching;
  const waiting = onItsWay?.waiting ?? (isAsked(asked, { run: shownRun, isKnown }) ? asked : undefined);
  // Who works tells what it takes; who waits may be answered elsewhere.
  watchRun(isBusy || waiting !== undefined ? 'watch' : 'rest');

  const submit = async (submission: Submission, options: RunOptions) => {
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
    phase: phaseOf(stream, { isBusy, isStopping }),
    problem,
    waiting,
    latestRun: run.data ?? undefined,
    branches,
    subagents,
    commands,
    summary: readSummaryMark(stream.values.summary, messages),
    send: (said, options) => begin({ kind: 'message', message: newMessage(said) }, options),
    edit: ({ messageId, said, files }, options) =>
      begin({ kind: 'message', message: newMessage(said), replaces: messageId, files }, options),
    regenerate: ({ messageId, files }, options) =>
      begin({ kind: 'again', question: messageId, files }, options),
    answer: (answer, options) => {
      if (waiting === undefined) return;
      begin({ kind: 'answer', resume: resumeOf(waiting, answer, interrupts.length) }, options);
    },
    proceed: (options) => begin({ kind: 'again' }, options),
    retry: (options) => begin(unsent.current ?? { kind: 'again' }, options),
    stop,
  };
}

function filesOf(submission: Submission): { readonly restore_files?: true } {
  return submission.kind !== 'answer' && submission.files === 'restored' ? { restore_files: true } : {};
}

/** Undefined where the newest run belongs to another branch than the one that is shown. */
function runOf(run: Run | null | undefined, branches: Branches): Run | undefined {
  return run == null || branches.isElsewhere(run.run_id) ? undefined : run;
}

interface RunKnowledge {
  readonly run: Run | undefined;
  /** Whether the run is the newest one, and did not fail. */
  readonly isKnown: boolean;
}

/** A run that came too late with its answer leaves open what another one asked. */
const WAITING = new Set(['awaiting_input', 'already_answered']);

/** What a run left open asks nothing of the person when it failed, was stopped, or is not known yet. */
function isAsked(asked: Waiting | undefined, { run, isKnown }: RunKnowledge): boolean {
  if (asked?.kind !== 'pause') return true;
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
