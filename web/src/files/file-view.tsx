// One file: shown as what it is, as its text, or being edited.
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ThreadFile } from '../api/file-shapes.ts';
import { RequestError } from '../api/service-error.ts';
import { useServices } from '../services.tsx';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { FileActions, type FileMode } from './file-actions.tsx';
import { FileBody } from './file-body.tsx';
import { type FileKind, kindOf } from './file-kind.ts';
import { nameOf } from './file-path.ts';
import { readText } from './file-text.ts';
import { PanelHeader } from './panel-header.tsx';
import { fileContentQuery } from './thread-files.ts';

const FileEditor = lazy(() => import('./file-editor.tsx'));

interface FileViewProps {
  readonly threadId: string;
  readonly path: string;
  /** As the list has it; undefined while that is read, and for what is not listed. */
  readonly file: ThreadFile | undefined;
  readonly onBack: () => void;
  readonly onOpen: (path: string) => void;
  readonly onClose: () => void;
}

/** Kinds that are shown by their address: their bytes are none of this page's business. */
const BY_ADDRESS: ReadonlySet<FileKind> = new Set(['image', 'pdf', 'media']);
const HAS_COMPANION: ReadonlySet<FileKind> = new Set(['document', 'workbook']);
const HAS_SOURCE: ReadonlySet<FileKind> = new Set(['markdown', 'html', 'table']);

export function FileView({ threadId, path, file, onBack, onOpen, onClose }: FileViewProps) {
  const { api } = useServices();
  const [mode, setMode] = useState<FileMode>('shown');
  const name = nameOf(path);
  const kind = kindOf(name);
  // What a document says is in the Markdown that was made of it.
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
          <Button look="quiet" size="icon" aria-label="All files" title="All files" onClick={onBack}>
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

/** What is inside of a package cannot be written. */
function isWritable(path: string): boolean {
  return !/\.skill\//i.test(path);
}

function sentenceOf(error: Error): string {
  if (error instanceof RequestError && error.status === 404) return 'This file no longer exists.';
  return error instanceof RequestError ? error.message : 'This file could not be read.';
}
