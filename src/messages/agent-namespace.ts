// Where an agent works inside a run: `tools:<id of the call that began it>`, behind the place of the agent around it and `|`.

export const LEAD_NAMESPACE = '';

/** The place of the agent that works for a call of the agent at `outer`. */
export function innerNamespace(outer: string, callId: string): string {
  const own = `tools:${taskOf(callId)}`;
  return outer === LEAD_NAMESPACE ? own : `${outer}|${own}`;
}

/** The task of a call: ids are the words of a model, and none of their characters may end a segment. */
export function taskOf(callId: string): string {
  return callId.replaceAll(/[^\w.:-]/g, '_');
}

/** The place of the agent that it works for. */
export function outerNamespace(namespace: string): string {
  return namespace.slice(0, Math.max(0, namespace.lastIndexOf('|')));
}

/** Whether the one works, at any depth, for the other. */
export function isInside(namespace: string, outer: string): boolean {
  return outer === LEAD_NAMESPACE ? namespace !== LEAD_NAMESPACE : namespace.startsWith(`${outer}|`);
}

/** Its segments, from the outermost agent inwards; none for the lead agent. */
export function namespacePath(namespace: string): readonly string[] {
  return namespace === LEAD_NAMESPACE ? [] : namespace.split('|');
}
