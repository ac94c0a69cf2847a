// Agents that people define: the list of them, and the ways to get another one.
import { useQuery } from '@tanstack/react-query';
import { Bot, Plus, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import type { CustomAgent } from '../api/agent-calls.ts';
import { AppPage } from '../app-page.tsx';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { AgentDialog } from './agent-dialog.tsx';
import { useAgentChange, useAgents } from './agent-queries.ts';
import { AgentRow } from './agent-row.tsx';

export function AgentsPage() {
  const { api } = useServices();
  const isAdministrator = useQuery(meQuery(api)).data?.system_role === 'admin';
  const agents = useAgents();
  const [edited, setEdited] = useState<CustomAgent | 'new'>();
  const bringIn = useAgentChange(async (calls, file: File) => calls.importAgent(await readFile(file)));
  return (
    <>
      <AppPage
        title="Agents"
        action={
          <div className="flex gap-2">
            <ImportButton onFile={bringIn.mutate} />
            <Button size="small" onClick={() => setEdited('new')}>
              <Plus aria-hidden />
              New agent
            </Button>
          </div>
        }
      >
        <p className="text-sm leading-relaxed text-muted-foreground">
          An agent has a character, a model, and the tools and skills that you choose. Pick one for a chat
          below the box to write in.
        </p>
        {bringIn.error !== null && <Notice tone="danger">{bringIn.error.message}</Notice>}
        {bringIn.data !== undefined && bringIn.data.left_out.length > 0 && (
          <Notice tone="warning">
            {`This service does not have the model of ${bringIn.data.agent.name}. The agent answers with the model of the chat.`}
          </Notice>
        )}
        {agents.error !== null && <Notice tone="danger">{agents.error.message}</Notice>}
        {agents.isPending && <Spinner className="mx-auto my-6" />}
        {agents.data?.agents.length === 0 && (
          <div className="grid justify-items-center gap-2 rounded-xl border border-dashed border-border p-10 text-center text-sm text-muted-foreground">
            <Bot aria-hidden className="size-5" />
            No agents yet.
          </div>
        )}
        {agents.data !== undefined && agents.data.agents.length > 0 && (
          <ul
            aria-label="Agents"
            className="divide-y divide-border overflow-hidden rounded-xl border border-border bg-surface"
          >
            {agents.data.agents.map((agent) => (
              <AgentRow
                key={agent.name}
                agent={agent}
                mayShare={isAdministrator}
                onEdit={() => setEdited(agent)}
              />
            ))}
          </ul>
        )}
      </AppPage>
      {edited !== undefined && agents.data !== undefined && (
        <AgentDialog
          agent={edited === 'new' ? undefined : edited}
          groups={agents.data.tool_groups}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

async function readFile(file: File): Promise<unknown> {
  const text = await file.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('This is not the file of an agent. Choose a file that an export gave.');
  }
}

function ImportButton({ onFile }: { readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        look="secondary"
        size="small"
        title="Choose a file that an export gave"
        onClick={() => input.current?.click()}
      >
        <Upload aria-hidden />
        Import
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json"
        aria-label="Agent to import"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // The same file may be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
