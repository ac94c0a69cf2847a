// The runs that worked on a turn: that of its message, and those that went on after an approval or a failure.
import type { Run, RunUsage } from '../api/shapes.ts';
import type { Fork } from './checkpoint-tree.ts';
import { useKnownAnswers } from './known-answers.ts';
import type { Turn } from './turns.ts';

interface TurnRunsOptions {
  readonly turn: Turn;
  /** Where the answer has other versions. */
  readonly answerFork: Fork | undefined;
  /** The newest run, of the last turn alone; it may have said nothing yet. */
  readonly latestRun?: Run | undefined;
}

interface TurnRuns {
  readonly runIds: readonly string[];
  /** What is known of them, the newest one last. */
  readonly runs: readonly RunUsage[];
}

export function useTurnRuns({ turn, answerFork, latestRun }: TurnRunsOptions): TurnRuns {
  const { runOfMessage, usage } = useKnownAnswers();
  const asked = turn.human === undefined ? undefined : runOfMessage.get(turn.human.id);
  // A run that answered, and whose answer is not here, wrote another version.
  const isElsewhere =
    answerFork !== undefined || (asked !== undefined && usage.get(asked)?.stop_reason === 'completed');
  const own = new Set([
    ...(asked === undefined || isElsewhere ? [] : [asked]),
    ...turn.steps.flatMap(({ id }) => runOfMessage.get(id) ?? []),
  ]);
  const isOther = (runId: string) => !own.has(runId) && [...runOfMessage.values()].includes(runId);
  const newest = latestRun === undefined || isOther(latestRun.run_id) ? undefined : latestRun;
  const earlier = [...own].filter((runId) => runId !== newest?.run_id);
  const runs = earlier.flatMap((runId) => usage.get(runId) ?? []);
  if (newest === undefined) return { runIds: earlier, runs };
  return { runIds: [...earlier, newest.run_id], runs: [...runs, newest] };
}
