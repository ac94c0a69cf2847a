// The page of tool servers, whose tools the agent uses besides its own.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plug, Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { ToolServer } from '../api/tool-server-shapes.ts';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { AppPage, EmptyState } from '../ui/page.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { AddServerDialog, EditServerDialog, RemoveServerDialog } from './server-dialogs.tsx';
import { ToolServerCard } from './tool-server-card.tsx';
import { useToolServers } from './tool-server-queries.ts';

type Shown =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit'; readonly name: string }
  | { readonly kind: 'remove'; readonly name: string };

export function ToolServersPage() {
  const { api } = useServices();
  const isAdministrator = useQuery(meQuery(api)).data?.system_role === 'admin';
  const servers = useToolServers();
  const [shown, setShown] = useState<Shown>();
  const close = () => setShown(undefined);
  return (
    <>
      <AppPage
        title="Tool servers"
        action={
          isAdministrator && (
            <Button size="small" onClick={() => setShown({ kind: 'add' })}>
              <Plus aria-hidden />
              Add server
            </Button>
          )
        }
      >
        <p className="text-sm leading-relaxed text-muted-foreground">
          A tool server (MCP) gives the agent more tools: for a database, a calendar, another program.
          {!isAdministrator && ' Administrators add them for everyone.'}
        </p>
        <DemoNote />
        <SignInResult names={servers.data?.map(({ name }) => name) ?? []} />
        {servers.error !== null && <Notice tone="danger">{servers.error.message}</Notice>}
        {servers.isPending && <Spinner className="mx-auto my-6" />}
        {servers.data?.length === 0 && <NoServers isAdministrator={isAdministrator} />}
        {servers.data !== undefined && servers.data.length > 0 && (
          <ServerList servers={servers.data} isAdministrator={isAdministrator} onShow={setShown} />
        )}
      </AppPage>
      {shown?.kind === 'add' && (
        <AddServerDialog taken={servers.data?.map(({ name }) => name) ?? []} onClose={close} />
      )}
      {shown?.kind === 'edit' && <EditServerDialog name={shown.name} onClose={close} />}
      {shown?.kind === 'remove' && <RemoveServerDialog name={shown.name} onClose={close} />}
    </>
  );
}

/** Shown when no model is configured: the demo model follows fixed rules. */
function DemoNote() {
  const { api } = useServices();
  const models = useQuery({ queryKey: ['models'], queryFn: () => api.models() }).data ?? [];
  if (models.length === 0 || models.some(({ name }) => name !== 'demo')) return null;
  return (
    <p className="text-sm leading-relaxed text-muted-foreground [overflow-wrap:anywhere]">
      The built-in demo model does not choose these tools on its own. Add a model to the configuration, or
      name a tool in a message: use filesystem_list_directory {'{"path": "."}'}
    </p>
  );
}

function NoServers({ isAdministrator }: { readonly isAdministrator: boolean }) {
  return (
    <EmptyState icon={Plug}>
      {isAdministrator
        ? 'No tool servers yet. Add one: the documentation of most servers has a JSON snippet for it.'
        : 'No tool servers yet.'}
    </EmptyState>
  );
}

interface ServerListProps {
  readonly servers: readonly ToolServer[];
  readonly isAdministrator: boolean;
  readonly onShow: (shown: Shown) => void;
}

function ServerList({ servers, isAdministrator, onShow }: ServerListProps) {
  return (
    <ul aria-label="Tool servers" className="grid gap-3">
      {servers.map((server) => (
        <ToolServerCard
          key={server.name}
          server={server}
          isAdministrator={isAdministrator}
          onEdit={() => onShow({ kind: 'edit', name: server.name })}
          onRemove={() => onShow({ kind: 'remove', name: server.name })}
        />
      ))}
    </ul>
  );
}

/** Keyed by the reason in the address. Anyone can craft an address, so none of its text is shown. */
const FAILURES = new Map([
  ['denied', 'access was denied there. To try again, sign in and allow it.'],
  ['expired', 'it took too long, or it was started again elsewhere. Sign in again.'],
  ['other_issuer', 'the response came from a different server. Ask an administrator for help.'],
  ['refused', 'the server refused it. Sign in again, or ask an administrator for help.'],
  ['unreachable', 'the server could not be reached. Try again later.'],
]);

/** `names` are the names of the existing servers. */
function SignInResult({ names }: { readonly names: readonly string[] }) {
  const { signed_in: signedIn, sign_in_failed: failed } = useSearch({ strict: false });
  const navigate = useNavigate();
  const forget = (
    <Button
      variant="quiet"
      size="icon-small"
      aria-label="Close this message"
      onClick={() => void navigate({ to: '/tool-servers', replace: true })}
    >
      <X />
    </Button>
  );
  if (failed !== undefined)
    return (
      <Notice tone="danger" actions={forget}>
        You are not signed in: {FAILURES.get(failed) ?? 'something went wrong. Sign in again.'}
      </Notice>
    );
  if (signedIn === undefined || !names.includes(signedIn)) return null;
  return (
    <Notice tone="neutral" actions={forget}>
      You are signed in to <strong className="font-semibold text-foreground">{signedIn}</strong>.
    </Notice>
  );
}
