// The account: who it is, taking everything along, bringing something in, and its end.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeEmailDialog, ChangePasswordDialog } from '../auth/account-dialogs.tsx';
import { meQuery } from '../auth/session.ts';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { PageSection } from '../ui/page-section.tsx';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';
import { MachineSection } from './machine-section.tsx';
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
            <Button look="secondary" onClick={() => setDialog('email')}>
              Change e-mail
            </Button>
            <Button look="secondary" onClick={() => setDialog('password')}>
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
            <Button look="danger" onClick={() => setDialog('delete')}>
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
