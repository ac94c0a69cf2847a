// What becomes of a package that is being installed.
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { InstalledSkill } from '../api/skill-shapes.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { FindingList } from './finding-list.tsx';
import type { SkillInstall } from './use-skill-install.ts';

interface InstallResultProps {
  readonly current: SkillInstall;
  readonly mayConfirm: boolean;
  readonly onConfirm: (file: File) => void;
  readonly onClose: () => void;
}

export function InstallResult({ current, mayConfirm, onConfirm, onClose }: InstallResultProps) {
  switch (current.kind) {
    case 'none':
      return null;
    case 'sending':
      return (
        <div className="flex items-center gap-3 rounded-xl border border-border px-3.5 py-2.5 text-sm">
          <Spinner className="text-primary" />
          <p role="status" className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            {current.share === 1 ? `Checking ${current.name}…` : `Uploading ${current.name}…`}
          </p>
          {current.share < 1 && (
            <Button look="secondary" size="small" onClick={current.stop}>
              Cancel
            </Button>
          )}
        </div>
      );
    case 'done':
      return <Done installed={current.installed} onClose={onClose} />;
    case 'failed':
      return (
        <Notice tone="danger" actions={<CloseButton onClose={onClose} />}>
          <strong className="font-semibold">{current.name}</strong> was not installed: {current.sentence}
        </Notice>
      );
    case 'blocked':
      return (
        <Held
          title={`${current.file.name} is not installed yet`}
          lead={
            mayConfirm
              ? 'The scan found something critical. Install it only when you have looked at it and trust its author.'
              : current.sentence
          }
        >
          <FindingList findings={current.findings} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button look="secondary" onClick={onClose}>
              {mayConfirm ? 'Do not install' : 'Close'}
            </Button>
            {mayConfirm && (
              <Button look="danger" onClick={() => onConfirm(current.file)}>
                Install anyway
              </Button>
            )}
          </div>
        </Held>
      );
    default:
      return current satisfies never;
  }
}

function Done({
  installed: { skill, findings },
  onClose,
}: {
  readonly installed: InstalledSkill;
  readonly onClose: () => void;
}) {
  return (
    <Notice tone="neutral" actions={<CloseButton onClose={onClose} />}>
      <strong className="font-semibold text-foreground">{skill.display_name}</strong> is installed.{' '}
      {findings.length > 0 && 'The scan noticed something. '}
      <Link
        to="/skills/$skillName"
        params={{ skillName: skill.name }}
        className="font-medium text-primary underline underline-offset-4"
      >
        View skill
      </Link>
    </Notice>
  );
}

interface HeldProps {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

function Held({ title, lead, children }: HeldProps) {
  return (
    <section
      role="alert"
      aria-label={title}
      className="grid gap-3.5 rounded-xl border border-danger-border bg-surface p-4"
    >
      <div className="grid gap-1">
        <h2 className="text-[0.9375rem] font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h2>
        <p className="text-sm leading-relaxed text-muted-foreground">{lead}</p>
      </div>
      {children}
    </section>
  );
}

function CloseButton({ onClose }: { readonly onClose: () => void }) {
  return (
    <Button look="quiet" size="icon-small" aria-label="Close this message" onClick={onClose}>
      <X />
    </Button>
  );
}
