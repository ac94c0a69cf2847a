// Files that are dragged over the page and dropped anywhere on it.
import { Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

/**
 * Returns whether files are being dragged over the page. Ignores folders: a browser does not provide their
 * files.
 */
export function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    // These events also fire for every nested element.
    let entered = 0;
    const count = (step: number) => (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      entered = Math.max(0, entered + step);
      setOver(entered > 0);
    };
    addEventListener('dragenter', count(1), { signal });
    addEventListener('dragleave', count(-1), { signal });
    // Otherwise the browser would open the file instead of the page.
    addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault(), { signal });
    addEventListener(
      'drop',
      (event) => {
        entered = 0;
        setOver(false);
        if (!hasFiles(event) || event.defaultPrevented) return;
        event.preventDefault();
        const files = filesOf(event.dataTransfer);
        if (files.length > 0) take.current(files);
      },
      { signal },
    );
    return () => ending.abort();
  }, []);
  return isOver;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.items ?? [])].flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory === true ? null : item.getAsFile();
    return file === null ? [] : [file];
  });
}

export function DropOverlay({ children }: { readonly children: string }) {
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-2 z-30 grid animate-fade place-items-center rounded-2xl border-2 border-dashed border-primary bg-primary-soft/97 px-6"
    >
      <p className="flex items-center gap-2.5 text-base font-medium text-balance text-primary">
        <Upload className="size-5 shrink-0" />
        {children}
      </p>
    </div>
  );
}
