// Small marks of a file: its icon, and the state of its conversion.
import {
  File,
  FileCode,
  FileImage,
  FileMusic,
  FileSpreadsheet,
  FileText,
  Globe,
  type LucideIcon,
} from 'lucide-react';
import { Spinner } from '../ui/spinner.tsx';
import { type FileKind, kindOf } from './file-kind.ts';

const ICONS: Readonly<Record<FileKind, LucideIcon>> = {
  document: FileText,
  workbook: FileSpreadsheet,
  markdown: FileText,
  code: FileCode,
  text: FileText,
  image: FileImage,
  pdf: FileText,
  table: FileSpreadsheet,
  html: Globe,
  media: FileMusic,
  other: File,
};

export function FileIcon({ name, className }: { readonly name: string; readonly className?: string }) {
  const Icon = ICONS[kindOf(name)];
  return <Icon aria-hidden className={className} />;
}

interface ConversionNoteProps {
  readonly isConverting: boolean;
  /** A sentence that explains why there is no Markdown. */
  readonly error: string | undefined;
}

export function ConversionNote({ isConverting, error }: ConversionNoteProps) {
  if (isConverting)
    return (
      <span
        data-conversion="converting"
        className="flex items-center gap-1.5 text-xs leading-4 text-muted-foreground"
      >
        <Spinner className="size-3 shrink-0" />
        Reading its text…
      </span>
    );
  if (error === undefined) return null;
  return (
    <span data-conversion="failed" className="block text-xs leading-4 text-warning [overflow-wrap:anywhere]">
      {error}
    </span>
  );
}
