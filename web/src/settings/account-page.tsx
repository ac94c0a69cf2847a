// The page of the account: e-mail and password, sessions, export, import and deletion.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeEmailDialog, ChangePasswordDialog } from '../auth/account-dialogs.tsx';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageSection } from '../ui/page.tsx';
import { ExportSection, ImportSection } from './data-sections.tsx';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { SettingsPage } from './settings-page.tsx';

export function AccountPage() {
  const { api } = useServices();
  const me = useQuery(meQuery(api)).data;
  const [dialog, setDialog] = useState<'email' | 'password' | 'delete'>();
  const close = () => setDialog(undefined);
  return (
    <>
      <SettingsPage title="Account">
        <PageSection
          title="Sign-in"
          lead={
            <>
              You are <span className="[overflow-wrap:anywhere] text-foreground">{me?.email}</span>
              {me?.system_role === 'admin' && ', an administrator'}.
            </>
          }
        >
          <div className="flex flex-wrap gap-2">
            <Button variant="secondary" onClick={() => setDialog('email')}>
              Change e-mail
            </Button>
            <Button variant="secondary" onClick={() => setDialog('password')}>
              Change password
            </Button>
          </div>
        </PageSection>
        <SessionsSection />
        <ExportSection />
        <ImportSection />
        {me?.system_role === 'admin' && <MachineSection />}
        <PageSection
          title="Delete account"
          lead="This deletes your chats, files, ratings and API keys. Export what you want to keep first."
        >
          <div>
            <Button variant="danger" onClick={() => setDialog('delete')}>
              Delete account…
            </Button>
          </div>
        </PageSection>
      </SettingsPage>
      {dialog === 'email' && <ChangeEmailDialog onClose={close} />}
      {dialog === 'password' && <ChangePasswordDialog onClose={close} />}
      {dialog === 'delete' && <DeleteAccountDialog onClose={close} />}
    </>
  );
}

function MachineSection() {
  const { api } = useServices();
  const machine = useQuery({ queryKey: ['machine'], queryFn: () => api.machine(), staleTime: 0 });
  return (
    <PageSection
      title="Command isolation"
      lead="What this machine still needs to isolate the agent’s commands. Only administrators see this."
    >
      {machine.isError && <Notice tone="danger">{machine.error.message}</Notice>}
      {machine.data?.gaps.length === 0 && <p className="text-sm">Nothing is missing.</p>}
      {machine.data !== undefined && machine.data.gaps.length > 0 && (
        <ul className="grid gap-3">
          {machine.data.gaps.map(({ message, fix }) => (
            <li key={message} className="grid gap-0.5 text-sm leading-relaxed [overflow-wrap:anywhere]">
              <span>{message}</span>
              <span className="text-muted-foreground">{fix}</span>
            </li>
          ))}
        </ul>
      )}
    </PageSection>
  );
}
