// The page of custom agents: the list, and how to add one.
import { useQuery } from '@tanstack/react-query';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import type { CustomAgent } from '../api/agent-calls.ts';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { FileButton, readJsonFile } from '../ui/file-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { AppPage, EmptyState } from '../ui/page.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { AgentDialog } from './agent-dialog.tsx';
import { useAgentChange, useAgents } from './agent-queries.ts';
import { AgentRow } from './agent-row.tsx';

const NO_AGENT = 'This file is not an exported agent. Choose a file that was exported here.';

export function AgentsPage() {
  const { api } = useServices();
  const isAdministrator = useQuery(meQuery(api)).data?.system_role === 'admin';
  const agents = useAgents();
  const [edited, setEdited] = useState<CustomAgent | 'new'>();
  const bringIn = useAgentChange(async (calls, file: File) =>
    calls.importAgent(await readJsonFile(file, NO_AGENT)),
  );
  return (
    <>
      <AppPage
        title="Agents"
        action={
          <div className="flex gap-2">
            <FileButton
              variant="secondary"
              title="Choose an exported file"
              accept=".json"
              label="Agent to import"
              onFiles={([file]) => file !== undefined && bringIn.mutate(file)}
            >
              Import
            </FileButton>
            <Button size="small" onClick={() => setEdited('new')}>
              <Plus aria-hidden />
              New agent
            </Button>
          </div>
        }
      >
        <p className="text-sm leading-relaxed text-muted-foreground">
          An agent has a character, a model, and the tools and skills that you choose. Pick one for a chat
          below the message box.
        </p>
        {bringIn.error !== null && <Notice tone="danger">{bringIn.error.message}</Notice>}
        {bringIn.data !== undefined && bringIn.data.left_out.length > 0 && (
          <Notice tone="warning">
            {`This service does not have the model of ${bringIn.data.agent.name}. The agent uses the model of the chat instead.`}
          </Notice>
        )}
        {agents.error !== null && <Notice tone="danger">{agents.error.message}</Notice>}
        {agents.isPending && <Spinner className="mx-auto my-6" />}
        {agents.data?.agents.length === 0 && <EmptyState icon={Bot}>No agents yet.</EmptyState>}
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
