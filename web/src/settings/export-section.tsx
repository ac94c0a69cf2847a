// Everything of the account as one file.
import { Download } from 'lucide-react';
import { asksForPassword, ConfirmPasswordDialog } from '../auth/confirm-password-dialog.tsx';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageSection } from '../ui/page-section.tsx';
import { useDownload } from '../ui/use-download.ts';

export function ExportSection() {
  const { api } = useServices();
  const download = useDownload(() => api.accountPackage());
  return (
    <PageSection
      title="Export"
      lead="All your chats with their branches, ratings and files, and your usage, as one zip file. You can import it here or into another service. To export one chat, use its menu."
    >
      {asksForPassword(download.error) && (
        <ConfirmPasswordDialog onConfirmed={() => download.mutate()} onClose={() => download.reset()} />
      )}
      {download.isError && !asksForPassword(download.error) && (
        <Notice tone="danger">Export failed: {download.error.message}</Notice>
      )}
      {download.isSuccess && (
        <Notice tone="neutral">
          The export has started. Your browser shows its progress; you can keep working meanwhile.
        </Notice>
      )}
      <div>
        <Button look="secondary" disabled={download.isPending} onClick={() => download.mutate()}>
          <Download aria-hidden />
          Export everything
        </Button>
      </div>
    </PageSection>
  );
}
