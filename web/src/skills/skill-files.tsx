// The files beside the instructions: each can be read, and of one's own skills changed and removed.
import { FilePlus } from 'lucide-react';
import { useState } from 'react';
import type { SkillDetail } from '../api/skill-shapes.ts';
import { FileIcon } from '../files/file-icon.tsx';
import { nameOf } from '../files/file-path.ts';
import { sizeText } from '../files/file-size.ts';
import { Button } from '../ui/button.tsx';
import { PageSection } from '../ui/page-section.tsx';
import { NewSkillFileDialog } from './new-skill-file-dialog.tsx';
import { SkillFileDialog } from './skill-file-dialog.tsx';

export function SkillFiles({ skill: { name, files, editable } }: { readonly skill: SkillDetail }) {
  const [shown, setShown] = useState<string>();
  const [isAdding, setAdding] = useState(false);
  return (
    <PageSection
      title="Files"
      action={
        editable && (
          <Button look="secondary" size="small" onClick={() => setAdding(true)}>
            <FilePlus aria-hidden />
            Add file
          </Button>
        )
      }
    >
      <ul className="-mx-2 grid">
        {files.map(({ path, size }) => (
          <li key={path}>
            <button
              type="button"
              onClick={() => setShown(path)}
              className="flex min-h-10 w-full min-w-0 items-center gap-3 rounded-lg px-2 py-1.5 text-left text-sm hover:bg-accent"
            >
              <FileIcon name={nameOf(path)} className="size-4 shrink-0 text-primary" />
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{path}</span>
              <span className="shrink-0 text-xs text-muted-foreground tabular-nums">{sizeText(size)}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <SkillFileDialog name={name} path={shown} editable={editable} onClose={() => setShown(undefined)} />
      )}
      {isAdding && <NewSkillFileDialog name={name} onClose={() => setAdding(false)} />}
    </PageSection>
  );
}
