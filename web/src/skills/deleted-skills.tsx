// Deleted skills, folded. Each can be restored or permanently deleted.
import { useNavigate } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { DeletedSkill, Skill } from '../api/skill-calls.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { agoText } from '../ui/relative-time.ts';
import { useDeletedSkills, usePurgeSkill, useRestoreSkill } from './skill-queries.ts';

/** Hidden when there are no deleted skills. */
export function DeletedSkills({ skills }: { readonly skills: readonly Skill[] }) {
  const deleted = useDeletedSkills();
  const restore = useRestoreSkill();
  const navigate = useNavigate();
  const [purged, setPurged] = useState<string>();
  const onRestore = (name: string) =>
    restore.mutate(name, {
      onSuccess: () => void navigate({ to: '/skills/$skillName', params: { skillName: name } }),
    });
  const error = deleted.error ?? restore.error;
  const list = deleted.data ?? [];
  const own = new Set(skills.filter(({ category }) => category === 'custom').map(({ name }) => name));
  return (
    <>
      {error !== null && <Notice tone="danger">{error.message}</Notice>}
      {list.length > 0 && (
        <section aria-label="Deleted skills">
          <details className="group overflow-hidden rounded-xl border border-border bg-surface">
            <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 px-4 py-2 text-sm text-muted-foreground hover:bg-accent hover:text-foreground focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
              <ChevronRight
                aria-hidden
                className="size-4 shrink-0 transition-transform group-open:rotate-90"
              />
              <h2 className="font-medium">Deleted skills</h2>
              <span className="tabular-nums">{list.length}</span>
            </summary>
            <ul className="divide-y divide-border border-t border-border">
              {list.map((skill) => (
                <DeletedRow
                  key={skill.name}
                  skill={skill}
                  isTaken={own.has(skill.name) && !restore.isPending}
                  isRestoring={restore.isPending}
                  onRestore={() => onRestore(skill.name)}
                  onPurge={() => setPurged(skill.name)}
                />
              ))}
            </ul>
          </details>
        </section>
      )}
      {purged !== undefined && <PurgeSkillDialog name={purged} onClose={() => setPurged(undefined)} />}
    </>
  );
}

interface DeletedRowProps {
  readonly skill: DeletedSkill;
  /** True when there is a new skill with the same name. */
  readonly isTaken: boolean;
  readonly isRestoring: boolean;
  readonly onRestore: () => void;
  readonly onPurge: () => void;
}

function DeletedRow({ skill, isTaken, isRestoring, onRestore, onPurge }: DeletedRowProps) {
  const { name, deleted_at: at } = skill;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
        <p className="text-sm font-medium">{name}</p>
        <p className="mt-0.5 text-[0.8125rem] leading-snug text-muted-foreground">
          Deleted: {agoText(new Date(at), new Date())}
          {isTaken &&
            ' · It cannot be restored because you have a new skill of this name. Deleting the new one deletes this one for good.'}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {!isTaken && (
          <Button
            variant="secondary"
            size="small"
            aria-label={`Restore ${name}`}
            disabled={isRestoring}
            onClick={onRestore}
          >
            Restore
          </Button>
        )}
        <Button variant="quiet" size="small" aria-label={`Delete for good: ${name}`} onClick={onPurge}>
          Delete for good
        </Button>
      </div>
    </li>
  );
}

interface PurgeSkillDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

function PurgeSkillDialog({ name, onClose }: PurgeSkillDialogProps) {
  const purge = usePurgeSkill();
  return (
    <ConfirmDialog
      title="Delete this skill for good?"
      description={
        <>
          <span className="font-medium text-foreground">{name}</span> cannot be restored afterwards.
        </>
      }
      action="Delete for good"
      isPending={purge.isPending}
      error={purge.error}
      onConfirm={() => purge.mutate(name, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
