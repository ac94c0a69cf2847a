// The instructions of a skill as the agent reads them. Those of the person's own skills can be edited.
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { SkillDetail } from '../api/skill-calls.ts';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { PageSection } from '../ui/page.tsx';
import { SkillFileDialog } from './skill-file-dialog.tsx';

/** Most skills are longer than a screen. */
const MOST_AT_FIRST = 2_400;

export function SkillInstructions({ skill }: { readonly skill: SkillDetail }) {
  const [isEditing, setEditing] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const { name, content, editable } = skill;
  const isCut = !isWhole && content.length > MOST_AT_FIRST;
  return (
    <PageSection
      title="Instructions"
      action={
        editable && (
          <Button variant="secondary" size="small" onClick={() => setEditing(true)}>
            <Pencil aria-hidden />
            Edit
          </Button>
        )
      }
    >
      <div
        className={cn(
          '[&_.more-beside]:[--cover:var(--surface)]',
          isCut && 'max-h-96 overflow-hidden [mask-image:linear-gradient(to_bottom,black_75%,transparent)]',
        )}
        inert={isCut}
      >
        {content.trim() === '' ? (
          <p className="text-sm text-muted-foreground">This skill has no instructions.</p>
        ) : (
          <Markdown text={content} isWriting={false} />
        )}
      </div>
      {isCut && (
        <div>
          <Button variant="secondary" size="small" onClick={() => setWhole(true)}>
            Show all
          </Button>
        </div>
      )}
      {isEditing && (
        <SkillFileDialog
          name={name}
          path="SKILL.md"
          startsEditing
          editable
          onClose={() => setEditing(false)}
        />
      )}
    </PageSection>
  );
}
