// Asks before a skill is deleted.
import { useNavigate } from '@tanstack/react-router';
import type { SkillDetail } from '../api/skill-shapes.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { useDeleteSkill } from './skill-queries.ts';

interface DeleteSkillDialogProps {
  readonly skill: SkillDetail;
  readonly onClose: () => void;
}

export function DeleteSkillDialog({ skill, onClose }: DeleteSkillDialogProps) {
  const remove = useDeleteSkill();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title="Delete this skill?"
      description={
        <>
          <span className="font-medium text-foreground">{skill.display_name}</span> is deleted with its files.
          You can restore it on the Skills page.
        </>
      }
      action="Delete"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(skill.name, { onSuccess: () => void navigate({ to: '/skills' }) })}
      onClose={onClose}
    />
  );
}
