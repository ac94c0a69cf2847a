// Export of the account as a package, and import of packages.
import { Link } from '@tanstack/react-router';
import { Download, Upload } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { agentLabel } from '../agents/agent-queries.ts';
import type { ImportedPackage } from '../api/shapes.ts';
import { asksForPassword, ConfirmPasswordDialog } from '../auth/account-dialogs.tsx';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { useDownload } from '../ui/file-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageSection } from '../ui/page.tsx';
import { type PackageImport, usePackageImport } from './package-import.ts';

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
        <Button variant="secondary" disabled={download.isPending} onClick={() => download.mutate()}>
          <Download aria-hidden />
          Export everything
        </Button>
      </div>
    </PageSection>
  );
}

const listFormat = new Intl.ListFormat('en', { type: 'conjunction' });

export function ImportSection() {
  const { current, start } = usePackageImport();
  return (
    <PageSection
      title="Import"
      lead="Import a zip file that was exported here or by another service: one chat or a whole account. Everything is imported, or nothing."
    >
      {current.kind === 'failed' && (
        <Notice tone="danger">
          <strong className="font-semibold">{current.name}</strong>: {current.sentence}
        </Notice>
      )}
      {current.kind === 'done' && (
        <Notice tone="neutral">
          <strong className="font-semibold">{current.name}</strong>: {resultText(current.imported)}{' '}
          <OpenImported imported={current.imported} />
        </Notice>
      )}
      {current.kind === 'done' && <LeftOut imported={current.imported} />}
      {current.kind === 'sending' ? <Progress shown={current} /> : <Choose onChoose={start} />}
    </PageSection>
  );
}

function Choose({ onChoose }: { readonly onChoose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [tooMany, setTooMany] = useState(false);
  const choose = (files: FileList | null) => {
    const [file, ...others] = files ?? [];
    setTooMany(others.length > 0);
    if (file !== undefined && others.length === 0) onChoose(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way beside the button
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      data-testid="drop-package"
      className={cn(
        'flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-dashed border-input p-4 text-sm text-muted-foreground',
        isOver && 'border-primary bg-primary-soft text-foreground',
      )}
    >
      <Button variant="secondary" onClick={() => input.current?.click()}>
        <Upload aria-hidden />
        Choose a zip file
      </Button>
      <span className="pointer-coarse:hidden">or drop it here</span>
      {tooMany && (
        <span role="alert" className="basis-full text-danger">
          Choose one file at a time.
        </span>
      )}
      <input
        ref={input}
        type="file"
        accept=".zip,application/zip"
        aria-label="Package to import"
        hidden
        onChange={(event) => {
          choose(event.currentTarget.files);
          // Allows the same file to be selected again.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

function Progress({ shown }: { readonly shown: Extract<PackageImport, { kind: 'sending' }> }) {
  const isSent = shown.share === 1;
  const percent = Math.floor(shown.share * 100);
  return (
    <div className="grid gap-2 rounded-xl border border-border p-4 text-sm">
      <div className="flex items-center gap-3">
        <p role="status" className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {isSent ? `Importing ${shown.name}…` : `Uploading ${shown.name}…`}
        </p>
        {isSent ? null : <span className="text-muted-foreground tabular-nums">{percent} %</span>}
        {isSent ? null : (
          <Button variant="secondary" size="small" onClick={shown.stop}>
            Cancel
          </Button>
        )}
      </div>
      <div
        role="progressbar"
        aria-label="Import"
        aria-valuemin={0}
        aria-valuemax={100}
        {...(isSent ? {} : { 'aria-valuenow': percent })}
        className="h-1.5 overflow-hidden rounded-full bg-accent"
      >
        <div
          className={cn('h-full rounded-full bg-primary', isSent && 'animate-pulse')}
          style={{ width: `${percent}%` }}
        />
      </div>
    </div>
  );
}

function LeftOut({ imported }: { readonly imported: ImportedPackage }) {
  const { agents_left_out, memory_left_out, skills_left_out } = imported;
  const left = [
    ...agents_left_out.map(({ name, reason }) => ({ what: `Agent ${name}`, reason })),
    ...memory_left_out.map(({ name, reason }) => ({ what: `Memory of ${agentLabel(name)}`, reason })),
    ...skills_left_out.map(({ name, reason }) => ({ what: `Skill ${name}`, reason })),
  ];
  if (left.length === 0) return null;
  return (
    <Notice tone="warning">
      Not everything could be imported:
      <ul className="mt-1 grid list-disc gap-0.5 pl-4">
        {left.map(({ what, reason }) => (
          <li key={`${what} ${reason}`}>
            <strong className="font-semibold">{what}</strong>: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function OpenImported({ imported: { threads } }: { readonly imported: ImportedPackage }) {
  const [only] = threads;
  if (only === undefined || threads.length > 1) return null;
  return (
    <Link
      to="/threads/$threadId"
      params={{ threadId: only.thread_id }}
      className="font-medium text-primary underline underline-offset-4"
    >
      Open chat
    </Link>
  );
}

function resultText(imported: ImportedPackage): string {
  const { threads, files, agents, memory_facts, skills } = imported;
  const withFiles = files === 0 ? '' : ` with ${count(files, 'file')}`;
  const brought = [
    threads.length === 0 ? '' : `${count(threads.length, 'chat')}${withFiles}`,
    agents.length === 0 ? '' : count(agents.length, 'agent'),
    memory_facts === 0 ? '' : count(memory_facts, 'fact'),
    skills.length === 0 ? '' : count(skills.length, 'skill'),
  ].filter(Boolean);
  const [only] = brought;
  if (only === undefined) return 'Everything in the package is here already.';
  const isOne = brought.length === 1 && only.startsWith('1 ');
  return `${listFormat.format(brought)} ${isOne ? 'was' : 'were'} imported.${copiesText(threads)}`;
}

function copiesText(threads: ImportedPackage['threads']): string {
  const copies = threads.filter((thread) => thread.thread_id !== thread.source_thread_id).length;
  if (copies === 0) return '';
  if (threads.length === 1) return ' It was here already, so this is a copy.';
  return ` ${copies === threads.length ? 'All' : copies} of them were here already, so these are copies.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
