// API keys: create one, copy it while it is shown, see when each was used, and revoke it.
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../api/shapes.ts';
import { SettingsPage } from '../settings/settings-page.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { EmptyState } from '../ui/page.tsx';
import { agoText } from '../ui/relative-time.ts';
import { useApiKeys, useRevokeKey } from './key-queries.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';

export function KeysPage() {
  const keys = useApiKeys();
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  return (
    <>
      <SettingsPage
        title="API keys"
        action={
          <Button size="small" onClick={() => setMaking(true)}>
            <Plus aria-hidden />
            New key
          </Button>
        }
      >
        <p className="text-sm leading-relaxed text-muted-foreground">
          Programs use a key to act as you, with access to your chats. Send it as{' '}
          <code className="font-mono text-[0.8125rem]">Authorization: Bearer …</code>
        </p>
        {keys.error !== null && <Notice tone="danger">{keys.error.message}</Notice>}
        {keys.data?.length === 0 && <EmptyState icon={KeyRound}>No API keys yet.</EmptyState>}
        {keys.data !== undefined && keys.data.length > 0 && (
          <ul className="divide-y divide-border overflow-hidden rounded-xl border border-border bg-surface">
            {keys.data.map((key) => (
              <KeyRow key={key.id} shown={key} onRevoke={() => setRevoked(key)} />
            ))}
          </ul>
        )}
      </SettingsPage>
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
      {revoked !== undefined && <RevokeKeyDialog shown={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}

function KeyRow({ shown, onRevoke }: { readonly shown: ApiKey; readonly onRevoke: () => void }) {
  const mayWrite = shown.scopes.includes('write');
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm font-medium">
          <span className="[overflow-wrap:anywhere]">{shown.name}</span>
          <code className="font-mono text-xs font-normal text-muted-foreground">{shown.hint}…</code>
        </p>
        <p className="mt-0.5 text-[0.8125rem] text-muted-foreground">
          {mayWrite ? 'Read and write' : 'Read only'} · {usedText(shown)}
          {shown.expires_at !== null && ` · ${endText(new Date(shown.expires_at))}`}
        </p>
      </div>
      <Button variant="secondary" size="small" onClick={onRevoke} aria-label={`Revoke ${shown.name}`}>
        Revoke
      </Button>
    </li>
  );
}

function usedText({ last_used_at: used }: ApiKey): string {
  return used === null ? 'Never used' : `Last used: ${agoText(new Date(used), new Date())}`;
}

function endText(end: Date): string {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(end);
  return end.getTime() <= Date.now() ? `Expired on ${day}` : `Expires on ${day}`;
}

interface RevokeKeyProps {
  readonly shown: ApiKey;
  readonly onClose: () => void;
}

function RevokeKeyDialog({ shown, onClose }: RevokeKeyProps) {
  const revoke = useRevokeKey();
  return (
    <ConfirmDialog
      title="Revoke this key?"
      description={`Anything that uses “${shown.name}” stops working immediately. This cannot be undone.`}
      action="Revoke key"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(shown.id, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
