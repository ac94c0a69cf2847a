// Changes to the document of all tool servers, which is saved as a whole.
import { useState } from 'react';
import type { ServerEntries, ServerEntry, ToolApproval, ToolEffect } from '../api/tool-server-shapes.ts';
import { useChangeServers, useTestServer } from './tool-server-queries.ts';

export interface ToolSwitches {
  readonly enabled?: boolean;
  readonly effect?: ToolEffect;
  readonly approval?: ToolApproval;
}

function withServers(added: ServerEntries) {
  return (servers: ServerEntries): ServerEntries => ({ ...servers, ...added });
}

export function withoutServer(name: string) {
  return (servers: ServerEntries): ServerEntries =>
    Object.fromEntries(Object.entries(servers).filter(([other]) => other !== name));
}

export function withServerSwitched(name: string, enabled: boolean) {
  return changed(name, (entry) => ({ ...entry, enabled }));
}

/** `tool` is the server's name of the tool. */
export function withToolChanged(name: string, tool: string, switches: ToolSwitches) {
  return changed(name, (entry) => ({
    ...entry,
    tools: { ...entry.tools, [tool]: { ...entry.tools?.[tool], ...switches } },
  }));
}

/** Does not bring back a server that was removed since. */
function changed(name: string, change: (entry: ServerEntry) => ServerEntry) {
  return (servers: ServerEntries): ServerEntries => {
    const entry = servers[name];
    return entry === undefined ? servers : { ...servers, [name]: change(entry) };
  };
}

export interface Saving {
  readonly isPending: boolean;
  /** Why the service refused the servers. */
  readonly problem: string | undefined;
  readonly save: (servers: ServerEntries) => void;
  /** The server to test once everything is saved. */
  readonly tested: string | undefined;
  readonly test: ReturnType<typeof useTestServer>;
}

/** Saves servers and tests the first enabled one. Calls `onDone` when there is nothing to test. */
export function useSaving(onDone: () => void): Saving {
  const change = useChangeServers();
  const test = useTestServer();
  const [tested, setTested] = useState<string>();
  const save = (servers: ServerEntries): void =>
    change.mutate(withServers(servers), {
      onSuccess: () => {
        const name = Object.keys(servers).find((it) => servers[it]?.enabled !== false);
        if (name === undefined) return onDone();
        setTested(name);
        test.mutate(name);
      },
    });
  return { isPending: change.isPending, problem: change.error?.message, save, tested, test };
}
