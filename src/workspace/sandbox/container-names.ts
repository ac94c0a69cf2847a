// Names of containers, which say until when each may run: whoever comes later knows which are left over. Pure.

const PREFIX = 'agent-service-';
const NAME = /^agent-service-until-(\d{10,})-/;
const SECOND_MS = 1_000;
/** For clocks that differ, and an engine that takes its time to end a container. */
const GRACE_MS = 60_000;

/** What all of them begin with. */
export const CONTAINER_PREFIX = PREFIX;

export function containerName(id: string, now: number, timeoutMs: number): string {
  return `${PREFIX}until-${Math.ceil((now + timeoutMs + GRACE_MS) / SECOND_MS)}-${id}`;
}

/** Whether its time is over, which only one has whose service ended before it. */
export function isLeftOver(name: string, now: number): boolean {
  const [, until] = NAME.exec(name) ?? [];
  return until !== undefined && Number(until) * SECOND_MS < now;
}
