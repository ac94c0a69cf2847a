// How documents become Markdown, and the limits of that: the section `uploads: conversion:` of the
// configuration file.
import { z } from 'zod';
import { fairShareFields } from '../../fair-share/fair-share-options.ts';

export const conversionOptionsSchema = z.strictObject({
  /** Whether documents are converted at all. */
  enabled: z.boolean().default(true),
  /** `auto`: LibreOffice reads the old formats where it and bubblewrap work; `off`: never. */
  libreoffice: z.enum(['auto', 'off']).default('auto'),
  /** Concurrent conversions of all users and of one user, and how many of one user may wait. */
  ...fairShareFields({ at_once: 3, per_user: 2, waiting_per_user: 100 }),
  /** How long the response to an upload waits for the Markdown. The conversion continues after that. */
  wait_seconds: z.int().min(0).max(80).default(30),
  /** Limits of one document: time, memory, and the size beyond which its Markdown is cut off. */
  timeout_seconds: z.int().min(1).max(600).default(60),
  memory_mb: z.int().min(128).max(65_536).default(1_024),
  markdown_mb: z.int().min(1).max(256).default(8),
  /** The unpacked size of an office document (a zip). */
  unpacked_mb: z.int().min(1).max(4_096).default(100),
});

export type ConversionOptions = z.output<typeof conversionOptionsSchema>;
