// Says where files may be dropped while they are held over the page.
import { Upload } from 'lucide-react';

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
