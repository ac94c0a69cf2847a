// One file: its preview, its source, or the editor.
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Code, Download, Eye, Pencil } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { downloadUrl, type ThreadFile } from '../api/file-shapes.ts';
import { RequestError } from '../api/service-error.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { FileBody } from './file-body.tsx';
import { type FileKind, kindOf, nameOf, sizeText } from './file-kind.ts';
import { readText } from './file-text.ts';
import { PanelHeader } from './panel-header.tsx';
import { fileContentQuery } from './thread-files.ts';

const FileEditor = lazy(() => import('./file-editor.tsx'));

interface FileViewProps {
  readonly threadId: string;
  readonly path: string;
  /** The entry in the list. Undefined while the list loads, and for files that are not listed. */
  readonly file: ThreadFile | undefined;
  readonly onBack: () => void;
  readonly onOpen: (path: string) => void;
  readonly onClose: () => void;
}

/** The browser loads these kinds from their address, and this page does not read their bytes. */
const BY_ADDRESS: ReadonlySet<FileKind> = new Set(['image', 'pdf', 'media']);
const HAS_COMPANION: ReadonlySet<FileKind> = new Set(['document', 'workbook']);
const HAS_SOURCE: ReadonlySet<FileKind> = new Set(['markdown', 'html', 'table']);

export function FileView({ threadId, path, file, onBack, onOpen, onClose }: FileViewProps) {
  const { api } = useServices();
  const [mode, setMode] = useState<FileMode>('shown');
  const name = nameOf(path);
  const kind = kindOf(name);
  // The text of a document is in the Markdown that was made from it.
  const companion = HAS_COMPANION.has(kind) ? file?.markdown : undefined;
  const source = companion ?? path;
  const content = useQuery({
    ...fileContentQuery(api, threadId, source),
    enabled: !BY_ADDRESS.has(kind),
  });
  const text = content.data === undefined ? undefined : readText(content.data);
  const canEdit =
    companion === undefined && text?.kind === 'text' && content.data?.isWhole === true && isWritable(path);
  return (
    <>
      <PanelHeader
        title={name}
        onClose={onClose}
        before={
          <Button variant="quiet" size="icon" aria-label="All files" title="All files" onClick={onBack}>
            <ArrowLeft />
          </Button>
        }
      >
        <FileActions
          threadId={threadId}
          path={path}
          size={file?.size}
          mode={mode}
          hasSource={HAS_SOURCE.has(kind) && text?.kind === 'text'}
          canEdit={canEdit}
          onMode={setMode}
        />
      </PanelHeader>
      {mode === 'edited' && text?.kind === 'text' && content.data !== undefined ? (
        <Suspense fallback={<Spinner className="m-auto" />}>
          <FileEditor
            threadId={threadId}
            path={path}
            seen={{ bytes: content.data.bytes, text: text.text }}
            onDone={() => setMode('shown')}
          />
        </Suspense>
      ) : (
        <FileBody
          threadId={threadId}
          path={source}
          file={file}
          isCompanion={companion !== undefined}
          isSource={mode === 'source'}
          text={text}
          isCut={content.data?.isWhole === false}
          problem={content.isError ? sentenceOf(content.error) : undefined}
          onOpen={onOpen}
        />
      )}
    </>
  );
}

/** Whether the file may be written. Files inside a package are read-only. */
function isWritable(path: string): boolean {
  return !/\.skill\//i.test(path);
}

function sentenceOf(error: Error): string {
  if (error instanceof RequestError && error.status === 404) return 'This file no longer exists.';
  return error instanceof RequestError ? error.message : 'This file could not be read.';
}

export type FileMode = 'shown' | 'source' | 'edited';

interface FileActionsProps {
  readonly threadId: string;
  readonly path: string;
  readonly size: number | undefined;
  readonly mode: FileMode;
  /** Whether there is a preview that differs from the source. */
  readonly hasSource: boolean;
  readonly canEdit: boolean;
  readonly onMode: (mode: FileMode) => void;
}

function FileActions(props: FileActionsProps) {
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
          variant="quiet"
          size="icon"
          aria-label={isSource ? 'Show the preview' : 'Show the source'}
          title={isSource ? 'Preview' : 'Source'}
          onClick={() => onMode(isSource ? 'shown' : 'source')}
        >
          {isSource ? <Eye /> : <Code />}
        </Button>
      )}
      {canEdit && mode !== 'edited' && (
        <Button variant="quiet" size="icon" aria-label="Edit" title="Edit" onClick={() => onMode('edited')}>
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
