// The outcome of one run of a schedule, with a link to its chat.
import { Link } from '@tanstack/react-router';
import type { ScheduleRun } from '../api/schedule-calls.ts';
import { Badge } from '../ui/badge.tsx';

interface RunWords {
  readonly word: string;
  readonly tone: 'neutral' | 'success' | 'warning' | 'danger';
}

const WORDS = new Map<string, RunWords>([
  ['waiting', { word: 'Waiting for its turn', tone: 'neutral' }],
  ['pending', { word: 'Waiting for its turn', tone: 'neutral' }],
  ['running', { word: 'Running', tone: 'neutral' }],
  ['success', { word: 'Done', tone: 'success' }],
  ['error', { word: 'Failed', tone: 'danger' }],
  ['timeout', { word: 'Took too long', tone: 'danger' }],
  ['interrupted', { word: 'Stopped', tone: 'warning' }],
  ['deleted', { word: 'Chat deleted', tone: 'neutral' }],
  ['skipped', { word: 'Skipped', tone: 'neutral' }],
  ['refused', { word: 'Not started', tone: 'danger' }],
]);
const UNDER_WAY = new Set(['waiting', 'pending', 'running']);

export function isUnderWay({ status }: Pick<ScheduleRun, 'status'>): boolean {
  return UNDER_WAY.has(status);
}

function runWords({ status, reason }: ScheduleRun): RunWords {
  if (reason === 'awaiting_input') return { word: 'Needs your answer', tone: 'warning' };
  return WORDS.get(status) ?? { word: status, tone: 'neutral' };
}

const REASONS = new Map([
  ['missed', 'The service was not running at that time.'],
  ['still_running', 'The previous run had not ended.'],
  ['too_many_waiting', 'You already have the maximum number of waiting runs.'],
  ['thread_deleted', 'Its chat was deleted.'],
  ['agent_missing', 'Its agent was deleted.'],
]);

/** Returns why the run failed or was skipped. Undefined when there is no reason to show. */
export function runDetail({ reason, detail }: ScheduleRun): string | undefined {
  return detail ?? REASONS.get(reason ?? '');
}

const PAUSES = new Map([
  ['person', 'Paused'],
  ['thread_deleted', 'Paused: its chat was deleted'],
  ['agent_missing', 'Paused: its agent was deleted'],
  ['imported', 'Paused: it came with an import'],
]);

export function pauseText(because: string | null): string {
  return PAUSES.get(because ?? 'person') ?? 'Paused';
}

export function RunOutcome({ run }: { readonly run: ScheduleRun }) {
  const { word, tone } = runWords(run);
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {run.thread_id !== null && run.status !== 'deleted' && (
        <Link
          to="/threads/$threadId"
          params={{ threadId: run.thread_id }}
          className="text-primary underline-offset-4 hover:underline pointer-coarse:py-1.5"
        >
          Open chat
        </Link>
      )}
    </>
  );
}
