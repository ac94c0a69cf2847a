// The installation of a package: on its way, done, refused, or held until an administrator confirms it.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { RequestError } from '../api/service-error.ts';
import { type Finding, type InstalledSkill, refusedSkillSchema } from '../api/skill-shapes.ts';
import { useServices } from '../services.tsx';
import { refreshSkills } from './skill-queries.ts';

export type SkillInstall =
  | { readonly kind: 'none' }
  /** `share` is 1 while the service reads what it has. */
  | { readonly kind: 'sending'; readonly name: string; readonly share: number; readonly stop: () => void }
  | { readonly kind: 'done'; readonly installed: InstalledSkill }
  /** The scan found what must be read first. */
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
    /** One package at a time. */
    start: (files: readonly File[]): void => {
      const [file, ...others] = files;
      if (file === undefined || current.kind === 'sending') return;
      if (others.length > 0) {
        const sentence = 'Install one package at a time.';
        setCurrent({ kind: 'failed', name: `${files.length} files`, sentence });
      } else void install(file, false);
    },
    /** Installs what is held. */
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
