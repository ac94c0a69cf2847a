// One agent in the list, with its actions and its versions.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AgentVersion, CustomAgent } from '../api/agent-calls.ts';
import { useServices } from '../services/services.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { useDownload } from '../ui/file-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useAgentChange, useAgentVersions } from './agent-queries.ts';

interface AgentRowProps {
  readonly agent: CustomAgent;
  /** Only administrators can share, and only their own agents. */
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
          <Button variant="secondary" size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
        )}
        <Button
          variant="quiet"
          size="small"
          className="px-2"
          aria-label={`Version ${version} of ${name}: all versions`}
          onClick={() => setOpened('versions')}
        >
          {`Version ${version}`}
        </Button>
        <Button
          variant="quiet"
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
            variant="quiet"
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
            variant="quiet"
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
          description={`${name} will accept no new messages. Its chats stay, and another agent can continue them.`}
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

interface AgentVersionsProps {
  readonly agent: CustomAgent;
  readonly onClose: () => void;
}

function AgentVersions({ agent, onClose }: AgentVersionsProps) {
  const versions = useAgentVersions(agent.name);
  const restore = useAgentChange((calls, { description, model, tool_groups, skills, soul }: AgentVersion) =>
    calls.changeAgent(agent.name, { description, model, tool_groups, skills, soul }),
  );
  return (
    <Dialog open onClose={onClose} title={`Versions of ${agent.name}`} width="wide">
      {restore.error !== null && <Notice tone="danger">{restore.error.message}</Notice>}
      {versions.error !== null && <Notice tone="danger">{versions.error.message}</Notice>}
      {versions.isPending && <Spinner className="mx-auto my-6" />}
      <ol className="grid gap-3">
        {versions.data?.map((version) => (
          <li key={version.version} className="grid gap-2 rounded-lg border border-border p-3 text-sm">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">
                {`Version ${version.version}, ${new Date(version.created_at).toLocaleString()}`}
              </span>
              {agent.own && version.version !== agent.version && (
                <Button
                  variant="secondary"
                  size="small"
                  disabled={restore.isPending}
                  onClick={() => restore.mutate(version)}
                >
                  {`Go back to version ${version.version}`}
                </Button>
              )}
            </div>
            <dl className="grid gap-1 text-[0.8125rem] text-muted-foreground">
              <Fact name="Model" value={version.model ?? 'as chosen in the chat'} />
              <Fact name="Tools" value={listed(version.tool_groups)} />
              <Fact name="Skills" value={listed(version.skills)} />
            </dl>
            {version.soul !== '' && (
              <p className="max-h-40 overflow-y-auto whitespace-pre-wrap" dir="auto">
                {version.soul}
              </p>
            )}
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex gap-2">
      <dt>{`${name}:`}</dt>
      <dd className="min-w-0 text-foreground [overflow-wrap:anywhere]">{value}</dd>
    </div>
  );
}

function listed(names: readonly string[] | null): string {
  if (names === null) return 'all';
  return names.length === 0 ? 'none' : names.join(', ');
}
