// One agent of the list, with what can be done with it.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CustomAgent } from '../api/agent-calls.ts';
import { useServices } from '../services.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { useDownload } from '../ui/use-download.ts';
import { useAgentChange } from './agent-queries.ts';
import { AgentVersions } from './agent-versions.tsx';

interface AgentRowProps {
  readonly agent: CustomAgent;
  /** Administrators share what is theirs. */
  readonly mayShare: boolean;
  readonly onEdit: () => void;
}

export function AgentRow({ agent, mayShare, onEdit }: AgentRowProps) {
  const { api } = useServices();
  const { name, description, own, shared, version } = agent;
  const [opened, setOpened] = useState<'versions' | 'delete'>();
  const share = useAgentChange((calls, isShared: boolean) => calls.shareAgent(name, isShared));
  const remove = useAgentChange((calls, _: undefined) => calls.deleteAgent(name));
  const download = useDownload(async () => api.agentFile(name));
  return (
    <li className="grid gap-2 px-4 py-3">
      <div className="grid gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <span className="[overflow-wrap:anywhere]">{name}</span>
          {shared && <Badge>{own ? 'Shared with everyone' : 'Shared by an administrator'}</Badge>}
        </span>
        {description !== '' && (
          <span className="text-[0.8125rem] leading-snug text-muted-foreground [overflow-wrap:anywhere]">
            {description}
          </span>
        )}
      </div>
      {share.error !== null && <Notice tone="danger">{share.error.message}</Notice>}
      <div className="flex flex-wrap gap-1">
        {own && (
          <Button look="secondary" size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
        )}
        <Button
          look="quiet"
          size="small"
          className="px-2"
          aria-label={`Version ${version} of ${name}: all versions`}
          onClick={() => setOpened('versions')}
        >
          {`Version ${version}`}
        </Button>
        <Button
          look="quiet"
          size="small"
          className="px-2"
          aria-label={`Export ${name}`}
          onClick={() => download.mutate()}
        >
          Export
        </Button>
        <Link
          to="/memory"
          search={{ agent: name }}
          aria-label={`Memory of ${name}`}
          className="inline-flex h-8 items-center rounded-lg px-2 text-[0.8125rem] font-medium text-muted-foreground pointer-coarse:h-10 hover:bg-accent hover:text-foreground"
        >
          Memory
        </Link>
        {own && mayShare && (
          <Button
            look="quiet"
            size="small"
            className="px-2"
            aria-label={shared ? `Stop sharing ${name}` : `Share ${name}`}
            disabled={share.isPending}
            onClick={() => share.mutate(!shared)}
          >
            {shared ? 'Stop sharing' : 'Share'}
          </Button>
        )}
        {own && (
          <Button
            look="quiet"
            size="small"
            className="px-2"
            aria-label={`Delete ${name}`}
            onClick={() => setOpened('delete')}
          >
            Delete
          </Button>
        )}
      </div>
      {opened === 'versions' && <AgentVersions agent={agent} onClose={() => setOpened(undefined)} />}
      {opened === 'delete' && (
        <ConfirmDialog
          title="Delete this agent?"
          description={`${name} takes no new messages then. Its chats stay, and another agent can go on with them.`}
          action="Delete"
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => setOpened(undefined) })}
          onClose={() => setOpened(undefined)}
        />
      )}
    </li>
  );
}
