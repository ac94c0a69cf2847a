// What became of a time of a schedule, in words.
import type { ScheduleRun } from '../api/schedule-calls.ts';

interface RunWords {
  readonly word: string;
  readonly tone: 'neutral' | 'success' | 'warning' | 'danger';
}

const WORDS = new Map<string, RunWords>([
  ['waiting', { word: 'Waits for its turn', tone: 'neutral' }],
  ['pending', { word: 'Waits for its turn', tone: 'neutral' }],
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

export function runWords({ status, reason }: ScheduleRun): RunWords {
  if (reason === 'awaiting_input') return { word: 'Needs your answer', tone: 'warning' };
  return WORDS.get(status) ?? { word: status, tone: 'neutral' };
}

const REASONS = new Map([
  ['missed', 'The service was not running at that time.'],
  ['still_running', 'The run before it had not ended.'],
  ['too_many_waiting', 'You have as many runs waiting as are allowed.'],
  ['thread_deleted', 'Its chat was deleted.'],
  ['agent_missing', 'Its agent is gone.'],
]);

/** Why it did not do what it should have; undefined where there is nothing to say. */
export function runDetail({ reason, detail }: ScheduleRun): string | undefined {
  return detail ?? REASONS.get(reason ?? '');
}

const PAUSES = new Map([
  ['person', 'Paused'],
  ['thread_deleted', 'Paused: its chat was deleted'],
  ['agent_missing', 'Paused: its agent is gone'],
  ['imported', 'Paused: it came with an import'],
]);

export function pauseText(because: string | null): string {
  return PAUSES.get(because ?? 'person') ?? 'Paused';
}
