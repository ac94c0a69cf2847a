// The order to the process that converts, and its report.
import { z } from 'zod';

const CONVERTED_EXTENSIONS = ['.pdf', '.docx', '.xlsx', '.pptx', '.doc', '.xls', '.ppt'] as const;

export const conversionOrderSchema = z.object({
  extension: z.enum(CONVERTED_EXTENSIONS),
  maxMarkdownBytes: z.int(),
  maxUnpackedBytes: z.int(),
  /** `native` is machine code, which the permissions of the process do not restrict. For a box only. */
  pdfReader: z.enum(['native', 'script']),
  /** The program that reads the old formats. Absent: there is none, or nothing would confine it. */
  libreOffice: z.string().optional(),
});

export type ConversionOrder = z.output<typeof conversionOrderSchema>;
/** The order without the parts that depend on the machine, which the command adds. */
export type ConversionTask = Omit<ConversionOrder, 'pdfReader' | 'libreOffice'>;
export type ConvertedExtension = ConversionOrder['extension'];

export const conversionReportSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('converted'), markdown: z.string() }),
  /** A sentence for the person and the model. */
  z.object({ kind: z.literal('failed'), reason: z.string() }),
]);

export type ConversionReport = z.output<typeof conversionReportSchema>;

export function isConverted(extension: string): extension is ConvertedExtension {
  return CONVERTED_EXTENSIONS.some((it) => it === extension);
}

/** The formats from before 2007, and the ones that replaced them. */
export const NEW_FORMAT = { '.doc': '.docx', '.xls': '.xlsx', '.ppt': '.pptx' } as const;

export type OldExtension = keyof typeof NEW_FORMAT;
export type OfficeExtension = (typeof NEW_FORMAT)[OldExtension];

export function isOldFormat(extension: ConvertedExtension): extension is OldExtension {
  return extension in NEW_FORMAT;
}
