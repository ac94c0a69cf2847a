// The picture of a kind of file.
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
