// Installs skills from packages, and shows the results.
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import { RequestError } from '../api/service-error.ts';
import { type Finding, type InstalledSkill, refusedSkillSchema } from '../api/skill-calls.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { refreshSkills } from './skill-queries.ts';
import { FindingList } from './skill-refusal.tsx';

export type SkillInstall =
  | { readonly kind: 'none' }
  /** `share` is 1 while the service processes the upload. */
  | { readonly kind: 'sending'; readonly name: string; readonly share: number; readonly stop: () => void }
  | { readonly kind: 'done'; readonly installed: InstalledSkill }
  /** The scan has findings that must be confirmed first. */
  | {
      readonly kind: 'blocked';
      readonly file: File;
      readonly sentence: string;
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'failed'; readonly name: string; readonly sentence: string };

export function useSkillInstall() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const [current, setCurrent] = useState<SkillInstall>({ kind: 'none' });

  const install = async (file: File, isConfirmed: boolean): Promise<void> => {
    const ending = new AbortController();
    const onSent = (share: number) =>
      setCurrent({ kind: 'sending', name: file.name, share, stop: () => ending.abort() });
    onSent(0);
    try {
      const installed = await api.installSkill({ file, isConfirmed }, { onSent, signal: ending.signal });
      setCurrent({ kind: 'done', installed });
      await refreshSkills(queryClient);
    } catch (error) {
      setCurrent(ending.signal.aborted ? { kind: 'none' } : afterRefusal(file, error));
    }
  };
  return {
    current,
    /** Installs one package at a time. */
    start: (files: readonly File[]): void => {
      const [file, ...others] = files;
      if (file === undefined || current.kind === 'sending') return;
      if (others.length > 0) {
        const sentence = 'Install one package at a time.';
        setCurrent({ kind: 'failed', name: `${files.length} files`, sentence });
      } else void install(file, false);
    },
    /** Installs the package that awaits confirmation. */
    confirm: (file: File): void => void install(file, true),
    forget: () => setCurrent({ kind: 'none' }),
  };
}

function afterRefusal(file: File, error: unknown): SkillInstall {
  const { name } = file;
  if (!(error instanceof RequestError))
    return { kind: 'failed', name, sentence: 'This file could not be read. Choose it again.' };
  const refused = z.safeParse(refusedSkillSchema, error.body);
  if (refused.success)
    return { kind: 'blocked', file, sentence: error.message, findings: refused.data.detail.findings };
  return { kind: 'failed', name, sentence: error.message };
}

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
            <Button variant="secondary" size="small" onClick={current.stop}>
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
              ? 'The scan found something critical. Install it only if you have reviewed it and trust its author.'
              : current.sentence
          }
        >
          <FindingList findings={current.findings} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="secondary" onClick={onClose}>
              {mayConfirm ? 'Do not install' : 'Close'}
            </Button>
            {mayConfirm && (
              <Button variant="danger" onClick={() => onConfirm(current.file)}>
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
    <Button variant="quiet" size="icon-small" aria-label="Close this message" onClick={onClose}>
      <X />
    </Button>
  );
}
