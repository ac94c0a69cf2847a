// Writes tool servers; the first one that is on is tested then.
import { useState } from 'react';
import type { ServerEntries } from '../api/tool-server-shapes.ts';
import { withServers } from './changed-entries.ts';
import { useChangeServers, useTestServer } from './tool-server-queries.ts';

export interface Saving {
  readonly isPending: boolean;
  /** Why the service did not take them. */
  readonly problem: string | undefined;
  readonly save: (servers: ServerEntries) => void;
  /** The server that is tested, once everything is written. */
  readonly tested: string | undefined;
  readonly test: ReturnType<typeof useTestServer>;
}

/** `onDone` is called where nothing is left to test. */
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
