// Files that the agent presents to the person. Each opens beside the conversation.
import { Download } from 'lucide-react';
import { useState } from 'react';
import { artifactUrl, downloadUrl } from '../api/file-shapes.ts';
import { useTurnActions } from '../conversation/turn-actions.ts';
import { kindOf, kindWords, nameOf } from '../files/file-kind.ts';
import { FileIcon } from '../files/file-marks.tsx';
import { useFilePanel } from '../files/file-panel.ts';
import { presentedPaths } from '../files/presented.ts';
import type { CallCardProps } from './tool-frame.tsx';

/** The card of a successful call of `present_files`. */
export function PresentedCard({ call }: Pick<CallCardProps, 'call'>) {
  const paths = presentedPaths(call);
  return (
    <div className="@container min-w-0">
      <ul
        aria-label="Files from the agent"
        data-tool={call.name}
        data-tool-state="success"
        className="grid gap-2.5 @lg:grid-cols-2"
      >
        {paths.map((path) => (
          <li key={path} className="min-w-0">
            <PresentedFile path={path} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function PresentedFile({ path }: { readonly path: string }) {
  const panel = useFilePanel();
  const { threadId } = useTurnActions();
  const name = nameOf(path);
  const [isImage, setImage] = useState(kindOf(name) === 'image');
  return (
    <div className="flex min-w-0 items-center rounded-xl border border-border bg-surface shadow-xs transition-colors hover:border-input">
      <button
        type="button"
        onClick={() => panel.show({ kind: 'file', path })}
        title={name}
        className="flex min-w-0 flex-1 items-center gap-3 rounded-xl p-2.5 text-left hover:bg-accent focus-visible:-outline-offset-2"
      >
        {isImage && threadId !== undefined ? (
          <img
            src={artifactUrl(threadId, path)}
            alt=""
            loading="lazy"
            onError={() => setImage(false)}
            className="size-11 shrink-0 rounded-lg bg-muted object-cover"
          />
        ) : (
          <span className="grid size-11 shrink-0 place-items-center rounded-lg bg-primary-soft text-primary">
            <FileIcon name={name} className="size-5" />
          </span>
        )}
        <span className="min-w-0">
          <span className="block truncate text-sm font-medium">{name}</span>
          <span className="block truncate text-xs text-muted-foreground">{kindWords(name)}</span>
        </span>
      </button>
      {threadId !== undefined && (
        <a
          href={downloadUrl(threadId, path)}
          download
          aria-label={`Download ${name}`}
          title="Download"
          className="mx-1.5 grid size-8 shrink-0 place-items-center rounded-lg pointer-coarse:size-10 text-muted-foreground hover:bg-accent hover:text-foreground"
        >
          <Download aria-hidden className="size-4" />
        </a>
      )}
    </div>
  );
}
