// The sessions of the account, and how to end them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageSection } from '../ui/page.tsx';
import { agoText } from '../ui/relative-time.ts';

const SESSIONS = ['sessions'] as const;

export function SessionsSection() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const sessions = useQuery({ queryKey: SESSIONS, queryFn: () => api.sessions() });
  const end = useMutation({
    mutationFn: (id: string) => api.endSession(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: SESSIONS }),
  });
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  const error = sessions.error ?? end.error;
  return (
    <PageSection
      title="Sessions"
      lead="Where you are signed in. If you do not recognize a session, sign it out and change your password."
    >
      {error !== null && <Notice tone="danger">{error.message}</Notice>}
      {sessions.data !== undefined && (
        <ul className="divide-y divide-border overflow-hidden rounded-lg border border-border">
          {sessions.data.map((session) => (
            <SessionRow
              key={session.id}
              shown={session}
              isEnding={end.isPending && end.variables === session.id}
              onEnd={() => end.mutate(session.id)}
            />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <div>
          <Button variant="secondary" onClick={() => setAsking(true)}>
            Sign out everywhere else
          </Button>
        </div>
      )}
      {isAsking && <EndOthersDialog onClose={() => setAsking(false)} />}
    </PageSection>
  );
}

interface SessionRowProps {
  readonly shown: Session;
  readonly isEnding: boolean;
  readonly onEnd: () => void;
}

function SessionRow({ shown, isEnding, onEnd }: SessionRowProps) {
  const used = agoText(new Date(shown.last_used_at), new Date());
  const since = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(
    new Date(shown.created_at),
  );
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm font-medium">
          <span className="[overflow-wrap:anywhere]">{shown.device}</span>
          {shown.current && <span className="text-xs font-normal text-muted-foreground">This device</span>}
        </p>
        <p className="mt-0.5 text-[0.8125rem] text-muted-foreground [overflow-wrap:anywhere]">
          Last used: {used} · Signed in on {since} · {shown.client_ip}
        </p>
      </div>
      {!shown.current && (
        <Button
          variant="secondary"
          size="small"
          disabled={isEnding}
          onClick={onEnd}
          aria-label={`Sign out ${shown.device}`}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}

function EndOthersDialog({ onClose }: { readonly onClose: () => void }) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => api.endOtherSessions(),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: SESSIONS });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Sign out everywhere else?"
      description="Every other device is signed out immediately. You stay signed in here, and API keys keep working."
    >
      {end.error !== null && <Notice tone="danger">{end.error.message}</Notice>}
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={end.isPending} onClick={() => end.mutate()}>
          Sign out the others
        </Button>
      </div>
    </Dialog>
  );
}
