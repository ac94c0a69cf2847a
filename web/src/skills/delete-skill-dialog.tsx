// Asks before a skill is deleted.
import { useNavigate } from '@tanstack/react-router';
import type { SkillDetail } from '../api/skill-shapes.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { useDeleteSkill } from './skill-queries.ts';

interface DeleteSkillDialogProps {
  readonly skill: SkillDetail;
  readonly onClose: () => void;
}

export function DeleteSkillDialog({ skill, onClose }: DeleteSkillDialogProps) {
  const remove = useDeleteSkill();
  const navigate = useNavigate();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this skill?"
      description={
        <>
          <span className="font-medium text-foreground">{skill.display_name}</span> is deleted with its files.
        </>
      }
    >
      {remove.error !== null && (
        <Notice tone="danger" className="mb-4">
          {remove.error.message}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button
          look="danger"
          disabled={remove.isPending}
          onClick={() => remove.mutate(skill.name, { onSuccess: () => void navigate({ to: '/skills' }) })}
        >
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
