// What can be done with the file that is shown.
import { Code, Download, Eye, Pencil } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { downloadUrl } from './artifact-url.ts';
import { nameOf } from './file-path.ts';
import { sizeText } from './file-size.ts';

export type FileMode = 'shown' | 'source' | 'edited';

interface FileActionsProps {
  readonly threadId: string;
  readonly path: string;
  readonly size: number | undefined;
  readonly mode: FileMode;
  /** Whether its text is shown as something else. */
  readonly hasSource: boolean;
  readonly canEdit: boolean;
  readonly onMode: (mode: FileMode) => void;
}

export function FileActions(props: FileActionsProps) {
  const { threadId, path, size, mode, hasSource, canEdit, onMode } = props;
  const isSource = mode === 'source';
  return (
    <>
      {size !== undefined && (
        <span className="hidden px-1 text-xs whitespace-nowrap text-muted-foreground sm:block">
          {sizeText(size)}
        </span>
      )}
      {hasSource && mode !== 'edited' && (
        <Button
          look="quiet"
          size="icon"
          aria-label={isSource ? 'Show the preview' : 'Show the source'}
          title={isSource ? 'Preview' : 'Source'}
          onClick={() => onMode(isSource ? 'shown' : 'source')}
        >
          {isSource ? <Eye /> : <Code />}
        </Button>
      )}
      {canEdit && mode !== 'edited' && (
        <Button look="quiet" size="icon" aria-label="Edit" title="Edit" onClick={() => onMode('edited')}>
          <Pencil />
        </Button>
      )}
      <a
        href={downloadUrl(threadId, path)}
        download
        aria-label={`Download ${nameOf(path)}`}
        title="Download"
        className="grid size-9 place-items-center rounded-lg pointer-coarse:size-10 text-muted-foreground hover:bg-accent hover:text-foreground"
      >
        <Download aria-hidden className="size-4" />
      </a>
    </>
  );
}
