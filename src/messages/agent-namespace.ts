// Namespaces of agents inside a run: the outer namespace and `|`, then `tools:<id of the starting call>`.

export const LEAD_NAMESPACE = '';

/** Returns the namespace of the agent that works for a call of the agent at `outer`. */
export function innerNamespace(outer: string, callId: string): string {
  const own = `tools:${taskOf(callId)}`;
  return outer === LEAD_NAMESPACE ? own : `${outer}|${own}`;
}

/** Returns the task of a call: its id, which a model chose, without characters that could end a segment. */
export function taskOf(callId: string): string {
  return callId.replaceAll(/[^\w.:-]/g, '_');
}

/** Returns the namespace of the agent for which the agent at `namespace` works. */
export function outerNamespace(namespace: string): string {
  return namespace.slice(0, Math.max(0, namespace.lastIndexOf('|')));
}

/** True when the agent at `namespace` works, at any depth, for the agent at `outer`. */
export function isInside(namespace: string, outer: string): boolean {
  return outer === LEAD_NAMESPACE ? namespace !== LEAD_NAMESPACE : namespace.startsWith(`${outer}|`);
}

/** Returns the segments of the namespace, from the outermost agent inwards; none for the lead agent. */
export function namespacePath(namespace: string): readonly string[] {
  return namespace === LEAD_NAMESPACE ? [] : namespace.split('|');
}
