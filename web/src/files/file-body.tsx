// The content of a file, displayed by its kind.
import { lazy, type ReactNode, Suspense } from 'react';
import { artifactUrl, downloadUrl, type ThreadFile } from '../api/file-shapes.ts';
import { Markdown } from '../markdown/lazy-markdown.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { CodeText } from './code-text.tsx';
import { extensionOf, kindOf, nameOf } from './file-kind.ts';
import type { FileText } from './file-text.ts';

const TableView = lazy(() => import('./table-view.tsx'));

interface FileBodyProps {
  readonly threadId: string;
  readonly path: string;
  readonly file: ThreadFile | undefined;
  /** True when the text is the Markdown that was made from the file. */
  readonly isCompanion: boolean;
  readonly isSource: boolean;
  readonly text: FileText | undefined;
  readonly isCut: boolean;
  readonly problem: string | undefined;
  readonly onOpen: (path: string) => void;
}

export function FileBody(props: FileBodyProps) {
  const { threadId, path, text, isCut, isCompanion, problem } = props;
  const name = nameOf(path);
  const url = artifactUrl(threadId, path);
  if (problem !== undefined)
    return (
      <Notice tone="danger" className="m-3">
        {problem}
      </Notice>
    );
  switch (kindOf(name)) {
    case 'image':
      return (
        <Scrolling label="Image" className="grid place-items-center bg-code p-4">
          <img src={url} alt={name} className="max-w-full rounded-lg" />
        </Scrolling>
      );
    case 'pdf':
      return <PdfView {...props} />;
    case 'media':
      return (
        <div className="m-auto w-full max-w-2xl p-4">
          {/* biome-ignore lint/a11y/useMediaCaption: nobody has captions for files of a person. */}
          <video src={url} controls className="max-h-[70dvh] w-full rounded-lg" />
        </div>
      );
    default:
      break;
  }
  if (text === undefined) return <Spinner className="m-auto" />;
  if (text.kind === 'binary') return <NoPreview {...props} />;
  return (
    <>
      {isCompanion && <Remark>The text of this document, as the agent reads it.</Remark>}
      {isCut && <Remark>Only the beginning is shown. Download the file to see all of it.</Remark>}
      <TextBody {...props} text={text.text} />
    </>
  );
}

function TextBody({
  path,
  text,
  isSource,
}: Pick<FileBodyProps, 'path' | 'isSource'> & { readonly text: string }) {
  const name = nameOf(path);
  const kind = isSource ? 'code' : kindOf(name);
  switch (kind) {
    case 'markdown':
      return (
        <Scrolling label="Document" className="px-5 py-4">
          <Markdown text={text} isWriting={false} />
        </Scrolling>
      );
    case 'table':
      return (
        <Suspense fallback={<Spinner className="m-auto" />}>
          <TableView text={text} separator={extensionOf(name) === 'tsv' ? '\t' : undefined} />
        </Suspense>
      );
    case 'html':
      return <HtmlView html={text} name={name} />;
    default:
      return (
        <Scrolling label="Text">
          <CodeText language={extensionOf(name)} code={text} />
        </Scrolling>
      );
  }
}

function Remark({ children }: { readonly children: string }) {
  return <p className="border-b border-border px-5 py-2 text-xs text-muted-foreground">{children}</p>;
}

interface ScrollingProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

function Scrolling({ label, className = '', children }: ScrollingProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className={`min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2 ${className}`}
    >
      {children}
    </section>
  );
}

/**
 * Shows the page in a sandbox without scripts and without this origin, under the page's own policy. It is
 * visible but can do nothing.
 */
function HtmlView({ html, name }: { readonly html: string; readonly name: string }) {
  return (
    <>
      <iframe
        title={name}
        srcDoc={html}
        sandbox=""
        referrerPolicy="no-referrer"
        className="min-h-0 w-full flex-1 border-0 bg-white"
      />
      {/<script\b/i.test(html) && (
        <p className="border-t border-border px-4 py-2 text-xs text-muted-foreground">
          Scripts are disabled in this preview. Download the page to run them.
        </p>
      )}
    </>
  );
}

/** Fits the PDF to the panel. A sidebar with thumbnails would take half of it. */
const FITTED = '#navpanes=0&view=FitH';

/** Browsers show no PDF in a sandboxed frame. The response has its own policy, which lets it load nothing. */
function PdfView({ threadId, path, file, onOpen }: FileBodyProps) {
  const url = artifactUrl(threadId, path);
  const markdown = file?.markdown;
  return (
    <>
      {navigator.pdfViewerEnabled ? (
        <iframe
          title={nameOf(path)}
          src={`${url}${FITTED}`}
          className="min-h-0 w-full flex-1 border-0 bg-muted"
        />
      ) : (
        <div className="m-auto grid max-w-sm justify-items-center gap-4 p-6 text-center text-sm text-muted-foreground">
          <p className="text-balance">This browser cannot show PDF files in a page.</p>
          <DownloadLink url={downloadUrl(threadId, path)} />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-border px-4 py-1.5 text-xs text-muted-foreground">
        <a href={url} target="_blank" rel="noreferrer" className="text-primary underline underline-offset-2">
          Open in a new tab
        </a>
        {markdown !== undefined && (
          <Button variant="quiet" size="small" onClick={() => onOpen(markdown)} className="ml-auto text-xs">
            View text
          </Button>
        )}
      </div>
    </>
  );
}

function NoPreview({ threadId, path, file, onOpen }: FileBodyProps) {
  return (
    <div className="m-auto grid max-w-sm justify-items-center gap-4 p-6 text-center text-sm text-muted-foreground">
      <p className="text-balance">{file?.conversionError ?? 'No preview for this type of file.'}</p>
      <div className="flex flex-wrap justify-center gap-2">
        {extensionOf(nameOf(path)) === 'skill' && (
          <Button onClick={() => onOpen(`${path}/SKILL.md`)}>View skill</Button>
        )}
        <DownloadLink url={downloadUrl(threadId, path)} />
      </div>
    </div>
  );
}

function DownloadLink({ url }: { readonly url: string }) {
  return (
    <a
      href={url}
      download
      className="inline-flex h-10 items-center rounded-lg border border-input bg-surface px-4 font-medium text-foreground shadow-xs hover:bg-accent"
    >
      Download
    </a>
  );
}
