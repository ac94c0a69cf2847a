// One tool server: its status, the person's sign-in, its tools, and the actions of administrators.
import { EllipsisVertical, FlaskConical, Pencil, Trash2 } from 'lucide-react';
import type { ServerStatus, ToolServer } from '../api/tool-server-shapes.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/check-box.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Notice } from '../ui/notice.tsx';
import { ServerTestView } from './server-test.tsx';
import { ServerTools } from './server-tools.tsx';
import { useChangeServers, useSignIn, useSignOut, useTestServer } from './tool-server-queries.ts';
import { withServerSwitched, withToolChanged } from './use-saving.ts';

interface ToolServerCardProps {
  readonly server: ToolServer;
  readonly isAdministrator: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

export function ToolServerCard({ server, isAdministrator, onEdit, onRemove }: ToolServerCardProps) {
  const { name, description, enabled, status, reason } = server;
  const change = useChangeServers();
  const test = useTestServer();
  const isTested = !test.isIdle;
  return (
    <li className="min-w-0 overflow-hidden rounded-xl border border-border bg-surface">
      <div className="flex items-center gap-2 py-2 pr-2 pl-4">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-1">
          <h2 className="text-sm font-semibold [overflow-wrap:anywhere]">{name}</h2>
          <ServerStatusBadge status={status} />
        </div>
        {isAdministrator && (
          <>
            <Switch
              label={`Use ${name}`}
              isOn={enabled}
              disabled={change.isPending}
              onChange={(isOn) => change.mutate(withServerSwitched(name, isOn))}
            />
            <Menu
              trigger={
                <Button variant="quiet" size="icon" aria-label={`More for ${name}`}>
                  <EllipsisVertical />
                </Button>
              }
            >
              <MenuItem disabled={test.isPending} onSelect={() => test.mutate(name)}>
                <FlaskConical aria-hidden />
                Test
              </MenuItem>
              <MenuItem onSelect={onEdit}>
                <Pencil aria-hidden />
                Edit
              </MenuItem>
              <MenuSeparator />
              <MenuItem tone="danger" onSelect={onRemove}>
                <Trash2 aria-hidden />
                Remove
              </MenuItem>
            </Menu>
          </>
        )}
      </div>
      <div className="grid gap-3 px-4 pb-3.5 empty:hidden">
        {description !== '' && (
          <p className="text-sm leading-relaxed text-muted-foreground [overflow-wrap:anywhere]">
            {description}
          </p>
        )}
        {change.error !== null && <Notice tone="danger">{change.error.message}</Notice>}
        {reason !== null && !isTested && (
          <Notice tone={status === 'failing' ? 'danger' : 'neutral'}>{reason}</Notice>
        )}
        {isTested && <ServerTestView name={name} test={test} />}
        {enabled && server.sign_in.required && <SignIn server={server} />}
      </div>
      <ServerTools
        server={server}
        isAdministrator={isAdministrator}
        onChange={(tool, switches) => change.mutate(withToolChanged(name, tool, switches))}
      />
    </li>
  );
}

function SignIn({ server: { name, sign_in } }: { readonly server: ToolServer }) {
  const signIn = useSignIn();
  const signOut = useSignOut();
  const error = signIn.error ?? signOut.error;
  return (
    <>
      {error !== null && <Notice tone="danger">{error.message}</Notice>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <span className="min-w-0 flex-1 basis-48 text-muted-foreground">
          {sign_in.signed_in
            ? 'The agent uses this server with your account there.'
            : 'Sign in with your account there, so that the agent can use it for you.'}
        </span>
        {sign_in.signed_in ? (
          <Button
            variant="secondary"
            size="small"
            disabled={signOut.isPending}
            onClick={() => signOut.mutate(name)}
          >
            Sign out of {name}
          </Button>
        ) : (
          <Button size="small" disabled={signIn.isPending} onClick={() => signIn.mutate(name)}>
            Sign in to {name}
          </Button>
        )}
      </div>
    </>
  );
}

const WORDS = {
  ready: { tone: 'success', word: 'Ready' },
  connecting: { tone: 'neutral', word: 'Connecting…' },
  failing: { tone: 'danger', word: 'Not working' },
  needs_sign_in: { tone: 'warning', word: 'Sign-in needed' },
  disabled: { tone: 'neutral', word: 'Off' },
} as const;

function ServerStatusBadge({ status }: { readonly status: ServerStatus }) {
  const { tone, word } = WORDS[status];
  return <Badge tone={tone}>{word}</Badge>;
}
