// Changes of the document of tool servers, as functions of what it was. Pure.
import type { ServerEntries, ServerEntry, ToolApproval, ToolEffect } from '../api/tool-server-shapes.ts';

export interface ToolSwitches {
  readonly enabled?: boolean;
  readonly effect?: ToolEffect;
  readonly approval?: ToolApproval;
}

export function withServers(added: ServerEntries) {
  return (servers: ServerEntries): ServerEntries => ({ ...servers, ...added });
}

export function withoutServer(name: string) {
  return (servers: ServerEntries): ServerEntries =>
    Object.fromEntries(Object.entries(servers).filter(([other]) => other !== name));
}

export function withServerSwitched(name: string, enabled: boolean) {
  return changed(name, (entry) => ({ ...entry, enabled }));
}

/** `tool` is the name that the server gives it. */
export function withToolChanged(name: string, tool: string, switches: ToolSwitches) {
  return changed(name, (entry) => ({
    ...entry,
    tools: { ...entry.tools, [tool]: { ...entry.tools?.[tool], ...switches } },
  }));
}

/** A server that is gone meanwhile stays away. */
function changed(name: string, change: (entry: ServerEntry) => ServerEntry) {
  return (servers: ServerEntries): ServerEntries => {
    const entry = servers[name];
    return entry === undefined ? servers : { ...servers, [name]: change(entry) };
  };
}
